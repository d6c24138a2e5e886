//! Documents as text: the only code that escapes.

mod html;
mod map;
mod markdown;
mod picture;
