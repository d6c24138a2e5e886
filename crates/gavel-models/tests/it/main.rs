//! Both clients against servers: the byte-true fake, programs that others wrote, a real model.

mod answers;
mod ask;
mod corpus;
mod deadlines;
mod faults;
mod replies;
mod requests;
