//! `harness studio`: its server over plain HTTP, and its pages in Chromium.

mod axe;
mod boards;
mod browser;
mod http;
mod live;
mod pages;
mod server;
