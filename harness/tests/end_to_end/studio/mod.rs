//! `harness studio`: its server over plain HTTP, and its pages in Chromium.

mod again;
mod analysis;
mod axe;
mod boards;
mod browser;
mod either;
mod engines;
mod files;
mod gone;
mod http;
mod kinds;
mod lists;
mod live;
mod losses;
mod moves;
mod new_run;
mod pages;
mod pictures;
mod places;
mod play;
mod premove;
mod remarks;
mod said;
pub mod server;
mod tabs;
mod texts;
mod work;
