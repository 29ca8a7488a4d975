//! Without the feature `problem-files` there are no programs.

use warpswarm_ptx_builder::LinkError;

/// A program; no value of this type exists.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Program {}

impl Program {
    pub(crate) fn text(
        &self,
        _name: &str,
        _module: &dyn Fn(&str) -> Option<String>,
    ) -> Result<String, LinkError> {
        match *self {}
    }

    pub(crate) fn model_text(
        &self,
        _name: &str,
        _module: &dyn Fn(&str) -> Option<String>,
    ) -> Result<String, LinkError> {
        match *self {}
    }
}
