//! SVG as pixels: PNG, and GIF for animations.

use std::collections::HashMap;

use resvg::{tiny_skia, usvg};

use crate::Error;

/// Pixels of the PNG for one unit of the SVG.
const PNG_SCALE: f32 = 2.0;
/// The time that a frame of a GIF is shown, in hundredths of a second, and that of the last frame.
const DELAY: (u16, u16) = (12, 200);
/// The index in a GIF's palette that stands for no colour.
const TRANSPARENT: u8 = 255;

/// The SVG as PNG, with two pixels in each direction for one of the SVG's. The typeface is part of the program, so that
/// pictures look the same on a machine without fonts.
///
/// ```
/// use warpswarm_pictures::{Error, png};
/// let square = r#"<svg xmlns="http://www.w3.org/2000/svg" width="3" height="3"></svg>"#;
/// assert!(png(square)?.starts_with(b"\x89PNG"));
/// assert!(matches!(png("no picture"), Err(Error::Draw(_))));
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
///
/// # Errors
///
/// If the text is not an SVG, or the SVG is too large.
pub fn png(svg: &str) -> Result<Vec<u8>, Error> {
    scaled_png(svg, PNG_SCALE)
}

/// The SVG as PNG, with one pixel in each direction for one of the SVG's: a smaller file.
///
/// ```
/// use warpswarm_pictures::{png, small_png};
/// let square = r#"<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"></svg>"#;
/// assert!(small_png(square)?.len() < png(square)?.len());
/// # Ok::<(), warpswarm_pictures::Error>(())
/// ```
///
/// # Errors
///
/// If the text is not an SVG, or the SVG is too large.
pub fn small_png(svg: &str) -> Result<Vec<u8>, Error> {
    scaled_png(svg, 1.0)
}

fn scaled_png(svg: &str, scale: f32) -> Result<Vec<u8>, Error> {
    let failed = |reason: String| Error::Write { format: "PNG", reason };
    pixels(svg, scale, &options())?.encode_png().map_err(|error| failed(error.to_string()))
}

/// SVGs of the same size as frames of a GIF that repeats.
pub(crate) fn gif(svgs: &[String]) -> Result<Vec<u8>, Error> {
    let options = options();
    let frames =
        svgs.iter().map(|svg| pixels(svg, 1.0, &options)).collect::<Result<Vec<_>, _>>()?;
    let failed = |reason: &dyn ToString| Error::Write { format: "GIF", reason: reason.to_string() };
    let first = frames.first().ok_or_else(|| failed(&"there are no frames"))?;
    let (width, height) = (first.width() as u16, first.height() as u16);
    let palette = Palette::of(&frames);
    let mut out = Vec::new();
    let mut encoder = gif::Encoder::new(&mut out, width, height, &palette.bytes())
        .map_err(|error| failed(&error))?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(|error| failed(&error))?;
    let mut before: Option<&tiny_skia::Pixmap> = None;
    for (number, frame) in frames.iter().enumerate() {
        let delay = if number + 1 == frames.len() { DELAY.1 } else { DELAY.0 };
        // Unchanged pixels are transparent, which takes almost no space.
        let place = |(at, pixel): (usize, &tiny_skia::PremultipliedColorU8)| {
            let same = before.is_some_and(|before| before.pixels()[at] == *pixel);
            if same { TRANSPARENT } else { palette.place(color(pixel)) }
        };
        let buffer: Vec<u8> = frame.pixels().iter().enumerate().map(place).collect();
        let transparent = Some(TRANSPARENT);
        let dispose = gif::DisposalMethod::Keep;
        let buffer = buffer.into();
        let made = gif::Frame {
            width,
            height,
            delay,
            buffer,
            transparent,
            dispose,
            ..gif::Frame::default()
        };
        encoder.write_frame(&made).map_err(|error| failed(&error))?;
        before = Some(frame);
    }
    drop(encoder);
    Ok(out)
}

fn options() -> usvg::Options<'static> {
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_font_data(notosans::REGULAR_TTF.to_vec());
    options
}

fn pixels(svg: &str, scale: f32, options: &usvg::Options<'_>) -> Result<tiny_skia::Pixmap, Error> {
    let failed = |reason: String| Error::Draw(reason);
    let tree = usvg::Tree::from_str(svg, options).map_err(|error| failed(error.to_string()))?;
    let size = tree.size().to_int_size().scale_by(scale);
    let pixmap = size.and_then(|size| tiny_skia::Pixmap::new(size.width(), size.height()));
    let mut pixmap = pixmap.ok_or_else(|| failed("the picture is too large".into()))?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    Ok(pixmap)
}

type Rgb = [u8; 3];

fn color(pixel: &tiny_skia::PremultipliedColorU8) -> Rgb {
    [pixel.red(), pixel.green(), pixel.blue()]
}

/// The most frequent colours of frames, and the nearest of these for each colour.
struct Palette {
    colors: Vec<Rgb>,
    nearest: HashMap<Rgb, u8>,
}

impl Palette {
    fn of(frames: &[tiny_skia::Pixmap]) -> Palette {
        let mut counts: HashMap<Rgb, u64> = HashMap::new();
        // Most pixels are like the one before.
        for same in frames.iter().flat_map(|frame| frame.pixels().chunk_by(|a, b| a == b)) {
            *counts.entry(color(&same[0])).or_default() += same.len() as u64;
        }
        let mut sorted: Vec<(Rgb, u64)> = counts.into_iter().collect();
        sorted.sort_unstable_by_key(|&(color, count)| (std::cmp::Reverse(count), color));
        let colors: Vec<Rgb> =
            sorted.iter().take(usize::from(TRANSPARENT)).map(|(color, _)| *color).collect();
        let distance =
            |a: Rgb, b: Rgb| -> u32 { (0..3).map(|i| u32::from(a[i].abs_diff(b[i])).pow(2)).sum() };
        let nearest = |color: Rgb| {
            (0..colors.len()).min_by_key(|&i| distance(color, colors[i])).unwrap_or(0) as u8
        };
        let nearest = sorted.iter().map(|&(color, _)| (color, nearest(color))).collect();
        Palette { colors, nearest }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colors.concat();
        // A decoder needs a colour for every index, including the transparent one.
        bytes.resize(256 * 3, 0);
        bytes
    }

    fn place(&self, color: Rgb) -> u8 {
        self.nearest.get(&color).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="8" height="6"/>"#;

    #[test]
    fn a_png_has_two_pixels_each_way() {
        let png = png(SQUARE).unwrap();
        assert_eq!(png[16..24], [0, 0, 0, 16, 0, 0, 0, 12]);
        assert!(matches!(super::png("<nothing"), Err(Error::Draw(_))));
    }

    #[test]
    fn a_gif_has_its_frames() {
        let gif = gif(&[
            SQUARE.into(),
            SQUARE.replace("/>", r#"><rect width="4" height="9" fill="red"/></svg>"#),
        ])
        .unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(&gif[..]).unwrap();
        let first = decoder.read_next_frame().unwrap().unwrap().buffer[..3].to_vec();
        let second = decoder.read_next_frame().unwrap().unwrap().buffer[..3].to_vec();
        assert_eq!((first, second), (vec![0, 0, 0], vec![255, 0, 0]));
        assert!(decoder.read_next_frame().unwrap().is_none());
        assert!(super::gif(&[]).is_err());
    }
}
