//! A body that is masked as it comes.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::mask::Mask;
use super::scan::Scan;

/// A body without the secrets that may be in it; as it is, where there are none.
pub struct Masked<B> {
    inner: B,
    masking: Option<Masking>,
}

struct Masking {
    mask: Mask,
    scan: Scan,
    /// Trailers that come after what was still held back.
    trailers: Option<Frame<Bytes>>,
    /// Nothing more comes from the inner body.
    ended: bool,
}

impl<B> Masked<B> {
    /// Masks a body, or with `None` leaves it as it is.
    pub fn new(inner: B, mask: Option<&Mask>) -> Self {
        Self {
            inner,
            masking: mask.map(|mask| Masking {
                mask: mask.clone(),
                scan: Scan::new(Arc::clone(&mask.0)),
                trailers: None,
                ended: false,
            }),
        }
    }

    /// Masks what an error tells, where there is something to mask.
    pub(crate) fn mask(&self) -> Option<&Mask> {
        self.masking.as_ref().map(|masking| &masking.mask)
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Masked<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = &mut *self;
        let Some(masking) = &mut this.masking else {
            return Pin::new(&mut this.inner).poll_frame(cx);
        };
        loop {
            if masking.ended {
                return Poll::Ready(masking.trailers.take().map(Ok));
            }
            let frame = match ready!(Pin::new(&mut this.inner).poll_frame(cx)) {
                None => {
                    masking.ended = true;
                    let rest = masking.scan.finish();
                    return Poll::Ready((!rest.is_empty()).then(|| Ok(Frame::data(rest))));
                }
                Some(Ok(frame)) => frame,
                Some(Err(error)) => {
                    // What was held back is of an answer that is not whole.
                    masking.ended = true;
                    masking.scan.finish();
                    return Poll::Ready(Some(Err(error)));
                }
            };
            match frame.into_data() {
                Ok(data) => {
                    let mut out = masking.scan.feed(&data);
                    if this.inner.is_end_stream() {
                        masking.ended = true;
                        let rest = masking.scan.finish();
                        out = match out.is_empty() {
                            true => rest,
                            false => [out, rest].concat().into(),
                        };
                    }
                    if !out.is_empty() {
                        return Poll::Ready(Some(Ok(Frame::data(out))));
                    }
                }
                Err(mut frame) => {
                    if let Some(trailers) = frame.trailers_mut() {
                        masking.mask.headers(trailers);
                    }
                    masking.ended = true;
                    let rest = masking.scan.finish();
                    if rest.is_empty() {
                        return Poll::Ready(Some(Ok(frame)));
                    }
                    masking.trailers = Some(frame);
                    return Poll::Ready(Some(Ok(Frame::data(rest))));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.masking {
            None => self.inner.is_end_stream(),
            Some(masking) => {
                let nothing = masking.scan.held() == 0 && masking.trailers.is_none();
                nothing && (masking.ended || self.inner.is_end_stream())
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        let hint = self.inner.size_hint();
        let Some(masking) = &self.masking else {
            return hint;
        };
        // As many bytes, some of them later.
        let held = masking.scan.held() as u64;
        let mut all = SizeHint::new();
        all.set_lower(hint.lower() + held);
        if let Some(upper) = hint.upper() {
            all.set_upper(upper + held);
        }
        all
    }
}
