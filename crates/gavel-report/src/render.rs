//! Documents as text: the only code that escapes.

mod html;
mod markdown;
mod picture;
