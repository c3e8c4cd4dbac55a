//! Pictures of the window.

use std::io::Cursor;
use std::path::PathBuf;

use image::{ImageFormat, RgbImage};
use serde_json::{Value, json};

use super::Reply;
use crate::Session;
use portamento_base::message::{Message, Tell as _, message};
use portamento_formats::export::{FileSet, Replace};

/// A picture of the window that another program asked for.
pub struct WantedPicture {
    file: PathBuf,
    replace: Replace,
    reply: Reply,
}

impl std::fmt::Debug for WantedPicture {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("WantedPicture").field("file", &self.file).finish_non_exhaustive()
    }
}

impl Session {
    /// Asks the window for its picture, which is written to `file` as PNG, also over an existing file if `replace`. A
    /// previous request for a picture is cancelled. Refused without remote control.
    pub(super) fn want_picture(&mut self, file: PathBuf, replace: bool, reply: Reply) {
        if self.remote.control.is_none() {
            return reply(Err(message!("error.remote.no_window", "There is no window to take a picture of.")));
        }
        let replace = if replace { Replace::Allow } else { Replace::Refuse };
        // An earlier request without a picture is dropped and with it its answer.
        self.remote.picture = Some(WantedPicture { file, replace, reply });
    }

    /// Writes the wanted picture in a job: `rgb` has three bytes per pixel, in rows from the top. Does nothing if no
    /// picture is wanted.
    pub fn give_picture(&mut self, [width, height]: [u32; 2], rgb: Vec<u8>) {
        let Some(WantedPicture { file, replace, reply }) = self.remote.picture.take() else { return };
        let mut files = FileSet::new(self.sources().into());
        let write = move |_: &_| -> Result<Value, Message> {
            let picture = RgbImage::from_raw(width, height, rgb);
            let invalid = || message!("error.remote.picture", "The window returned an invalid picture. Try again.");
            let mut png = Cursor::new(Vec::new());
            let encoded = picture.ok_or_else(invalid)?.write_to(&mut png, ImageFormat::Png);
            encoded.map_err(|error| Message::verbatim(error.to_string()))?;
            let written = files.write(&file, png.get_ref()).and_then(|()| files.commit(replace));
            written.map_err(|error| error.message())?;
            Ok(json!({ "file": file }))
        };
        self.answer_by_job(write, reply);
    }
}
