//! One file per command.
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod events;
pub(crate) mod hook;
pub(crate) mod install;
pub(crate) mod ledger;
pub(crate) mod list;
pub(crate) mod release;
pub(crate) mod renew;
pub(crate) mod reserve;
pub(crate) mod status;
pub(crate) mod sweep;
pub(crate) mod transfer;
pub(crate) mod uninstall;
pub(crate) mod whoami;
