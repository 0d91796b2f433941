//! Memory of Rust that Python reads without a copy, by the buffer protocol.

use std::ffi::c_int;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Bytes that Rust owns, read-only; `numpy.frombuffer` makes an array of them without a copy.
#[pyclass(frozen, module = "tench._tench")]
pub struct Buffer {
    bytes: Box<[u8]>,
}

impl Buffer {
    /// Takes the bytes over.
    pub fn new(bytes: Vec<u8>) -> Buffer {
        Buffer { bytes: bytes.into_boxed_slice() }
    }

    /// Numbers of four bytes, in the order of this machine.
    pub fn of_i32(numbers: &[i32]) -> Buffer {
        Buffer::new(numbers.iter().flat_map(|number| number.to_ne_bytes()).collect())
    }
}

#[pymethods]
impl Buffer {
    fn __len__(&self) -> usize {
        self.bytes.len()
    }

    /// # Safety
    /// `view` is what Python gives to `bf_getbuffer`: a structure to be filled.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let bytes = &slf.get().bytes;
        let length = ffi::Py_ssize_t::try_from(bytes.len())
            .map_err(|_| PyBufferError::new_err("too many bytes"))?;
        let readonly = 1;
        // SAFETY: the bytes are never changed or moved while the object lives, and the view holds
        // a reference to it; Python refuses a request to write.
        let failed = unsafe {
            ffi::PyBuffer_FillInfo(
                view,
                slf.as_ptr(),
                bytes.as_ptr().cast_mut().cast(),
                length,
                readonly,
                flags,
            )
        };
        if failed == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
