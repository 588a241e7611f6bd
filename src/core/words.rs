//! Enums of words: each variant is one word, which is stored, shown and typed alike.

/// Defines an enum by the words of its variants, so that documents and people get the same ones.
macro_rules! words {
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $($(#[$variant_about:meta])* $variant:ident = $word:literal,)+
        }
    ) => {
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        $(#[$about])*
        pub enum $name {
            $($(#[$variant_about])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            pub const ALL: [$name; [$($word),+].len()] = [$($name::$variant),+];

            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)+
                }
            }
        }
    };
}

pub(crate) use words;
