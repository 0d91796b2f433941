//! A stream whose other end has to take what is written to it.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// A stream on which a write fails when the other end takes nothing for some time.
pub struct Timed<S> {
    stream: S,
    time: Duration,
    /// When the write that waits fails; `None`: none waits.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> Timed<S> {
    /// Gives the other end of a stream this much time for each write.
    pub fn new(stream: S, time: Duration) -> Timed<S> {
        Timed { stream, time, deadline: None }
    }

    /// Result of a write, or an error if it has waited for too long.
    fn limit<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.deadline = None;
            return written;
        }
        let time = self.time;
        let sleep = || Box::pin(tokio::time::sleep_until(Instant::now() + time));
        ready!(self.deadline.get_or_insert_with(sleep).as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "what is written is not taken")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limit(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.limit(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(context);
        self.limit(context, ended)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.limit(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    const TIME: Duration = Duration::from_millis(300);

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build();
        runtime.expect("a thread").block_on(future)
    }

    #[test]
    fn a_write_that_is_not_taken_fails() {
        block_on(async {
            let (stream, _other) = tokio::io::duplex(16);
            let mut stream = Timed::new(stream, TIME);
            let begun = Instant::now();
            let error = stream.write_all(&[0; 100]).await.expect_err("it is not taken");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            assert!(begun.elapsed() >= TIME);
        });
    }

    #[test]
    fn one_that_is_taken_slowly_goes_on() {
        block_on(async {
            let (stream, mut other) = tokio::io::duplex(16);
            let mut stream = Timed::new(stream, TIME);
            let reader = tokio::spawn(async move {
                let mut taken = [0; 16];
                for _ in 0..5 {
                    tokio::time::sleep(TIME / 2).await;
                    other.read_exact(&mut taken).await.expect("it is written");
                }
            });
            stream.write_all(&[0; 80]).await.expect("it is taken");
            reader.await.expect("it does not fail");
        });
    }
}
