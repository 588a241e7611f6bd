use proptest::prelude::*;

use super::*;

fn found(name: &str, text: &str) -> Vec<String> {
    dependencies(name, text.as_bytes()).into_iter().collect()
}

/// A manifest's name, what it says, and what it depends on.
const MANIFESTS: [(&str, &str, &[&str]); 16] = [
    (
        "package.json",
        r#"{"dependencies":{"express":"^4"},"devDependencies":{"@types/node":"1"}}"#,
        &["@types/node", "express"],
    ),
    (
        "Cargo.toml",
        "[dependencies]\nclap = { version = \"4\", features = [\n \"derive\",\n] }\n\
             json = { package = \"serde_json\", version = \"1\" }\n\
             [dev-dependencies]\nproptest = \"1\"\n[build-dependencies]\ncc = \"1\"\n\
             [target.'cfg(unix)'.dependencies]\nlibc.workspace = true\n",
        &["cc", "clap", "libc", "proptest", "serdejson"],
    ),
    (
        "go.mod",
        "module example.com/x\n\ngo 1.22\nrequire github.com/spf13/cobra v1.8.0\n\
             require (\n\tgithub.com/labstack/echo/v4 v4.1.0\n\
             \tgithub.com/spf13/pflag v1.0.5 // indirect\n)\n",
        &["cobra", "echo"],
    ),
    (
        "pyproject.toml",
        "[project]\ndependencies = [\"fastapi[all]>=0.1\", 'uvicorn ; os_name == \"nt\"']\n\
             [project.optional-dependencies]\ntest = [\"pytest\"]\n\
             [dependency-groups]\ndev = [\"ruff\", { include-group = \"x\" }]\n",
        &["fastapi", "pytest", "ruff", "uvicorn"],
    ),
    (
        "pyproject.toml",
        "[tool.poetry.dependencies]\npython = \"^3\"\ntorch = { version = \"2\" }\n\
             [tool.poetry.group.dev.dependencies]\nblack = \"*\"\n",
        &["black", "python", "torch"],
    ),
    (
        "requirements.txt",
        "# tools\n-r base.txt\nscikit-learn==1.4  # pinned\nnumpy>=1\n\
             git+https://example.com/x.git\n",
        &["numpy", "scikitlearn"],
    ),
    (
        "build.gradle",
        "plugins {\n  id 'com.android.application' version '8.1'\n}\n\
             dependencies {\n\
         implementation 'org.springframework.boot:spring-boot-starter-web:3.2'\n}",
        &["comandroidapplication", "orgspringframeworkboot", "springbootstarterweb"],
    ),
    (
        "build.gradle.kts",
        "plugins {\n  alias(libs.plugins.android.application)\n  `java-library`\n}\n\
             dependencies {\n  // implementation(\"no:no:1\")\n  \
              implementation(\"io.ktor:ktor-server-core:2\")\n}",
        &[
            "androidapplication",
            "ioktor",
            "javalibrary",
            "ktorservercore",
            "libspluginsandroidapplication",
        ],
    ),
    (
        "pom.xml",
        "<project><artifactId>mine</artifactId><!-- <dependency><artifactId>no</artifactId> -->\
             <parent><groupId>g</groupId><artifactId>parent</artifactId></parent>\n<dependencies>\n\
             <dependency>\n <groupId>org.x</groupId>\n <artifactId>picocli</artifactId>\n\
             </dependency></dependencies></project>",
        &["g", "orgx", "parent", "picocli"],
    ),
    (
        "Api.csproj",
        "<Project Sdk=\"Microsoft.NET.Sdk.Web\">\n<ItemGroup>\n\
             <PackageReference Include='Swashbuckle.AspNetCore' Version=\"6\" />\n</ItemGroup>",
        &["microsoftnetsdkweb", "swashbuckleaspnetcore"],
    ),
    (
        "Gemfile",
        "source 'https://rubygems.org'\ngem \"rails\", '~> 7'\n# gem 'no'\n\
             group :test do\n  gem 'rspec-rails'\nend\n",
        &["rails", "rspecrails"],
    ),
    (
        "x.gemspec",
        "Gem::Specification.new do |s|\n  s.name = 'x'\n  s.add_dependency 'thor', '~> 1'\nend\n",
        &["[library]", "thor"],
    ),
    (
        "mix.exs",
        "defp deps do\n  [\n    {:phoenix, \"~> 1.7\"}, {:jason, \">= 1.0\"}\n    # {:no, \"1\"}\n\
             ]\nend\ndef project, do: [app: :x]\n",
        &["jason", "phoenix"],
    ),
    (
        "Package.swift",
        "dependencies: [\n .package(url: \"https://github.com/vapor/vapor.git\", \
         from: \"4.0.0\"),\n],\n\
             targets: [ .target(name: \"X\", dependencies: [\n .product(\
              name: \"Fluent\", package: \"fluent\"),\n])]",
        &["fluent", "vapor"],
    ),
    (
        "pubspec.yaml",
        "name: x\ndependencies:\n  flutter:\n    sdk: flutter\n  # no: 1\n  \"flutter_bloc\": \
         ^8.0.0\n\
             dev_dependencies:\n  test: any\nflutter:\n  uses-material-design: true\n",
        &["[library]", "flutter", "flutterbloc", "test"],
    ),
    ("App.fsproj", "<PackageReference Include=\"Terminal.Gui\"/>", &["terminalgui"]),
];

#[test]
fn each_manifest_names_what_it_depends_on() {
    for (name, text, expected) in MANIFESTS {
        assert!(is_manifest(name), "{name}");
        assert_eq!(found(name, text), expected, "{name}");
    }
}

/// Forms that people write as well, and what only looks like a dependency.
const OTHER_FORMS: &[(&str, &str, &[&str])] = &[
    (
        "Package.swift",
        ".package(\n  url: \"https://github.com/vapor/vapor.git\",\n  from: \"4.0.0\"\n),\n\
         /* .package(url: \"https://x/no\") */ .product(\n  name: \"Fluent\",\n  package: \"f\"\n)",
        &["fluent", "vapor"],
    ),
    (
        "build.gradle",
        "/*\n implementation 'no:no:1'\n*/\n\
         implementation group: 'io.ktor', name: 'ktor-server-core', version: '1'\n\
         implementation 'org.apache.spark:spark-sql_2.13:3.5' // implementation 'no:no'\n\
         maven { url 'https://example.com//no' }\n",
        &["ioktor", "ktorservercore", "orgapachespark", "sparksql"],
    ),
    (
        "build.gradle.kts",
        "plugins { `java-library`; id(\"maven-publish\") }\n\
         dependencies { implementation(libs.ktor.server.netty); api(\"a:b:${v}\") }\n",
        &["a", "b", "javalibrary", "ktorservernetty", "libsktorservernetty", "mavenpublish"],
    ),
    (
        "pom.xml",
        "<project><x><plugin/></x><groupId>mine</groupId><artifactId>mine</artifactId>\
         <dependency><artifactId>spark-core_2.12</artifactId><exclusions><exclusion>\
         <artifactId>no</artifactId></exclusion></exclusions></dependency></project>",
        &["sparkcore"],
    ),
    (
        "A.csproj",
        "<Project><Sdk Name=\"Microsoft.NET.Sdk.Web\"/>\
         <PackageReference Include = \"Swashbuckle.AspNetCore\" /></Project>",
        &["microsoftnetsdkweb", "swashbuckleaspnetcore"],
    ),
    (
        "mix.exs",
        "[\n {\n  :phoenix,\n \"~> 1\"}, { :bandit, \"1\"} # {:no, \"1\"}\n]",
        &["bandit", "phoenix"],
    ),
    (
        "requirements.txt",
        "torch @ https://download.pytorch.org/torch.whl\nhttps://example.com/no.whl\n\
         git+https://example.com/no@v1\n",
        &["torch"],
    ),
    ("go.mod", "require (\n\tgithub.com/spf13/cobra v1 // indirect\n)\n", &[]),
];

#[test]
fn other_forms_are_read_and_what_only_looks_like_one_is_not() {
    for (name, text, expected) in OTHER_FORMS {
        assert_eq!(found(name, text), *expected, "{name}: {text}");
    }
}

/// What comes of a project, in brackets, which no registry allows in a name.
#[test]
fn a_manifest_says_what_comes_of_it() {
    for (name, text, expected) in [
        ("package.json", r#"{"bin":"x.js"}"#, &["[command]"][..]),
        ("package.json", r#"{"main":"x.js","types":"x.d.ts"}"#, &["[library]"]),
        ("package.json", r#"{"main":"x.js","private":true,"exports":"./x.js"}"#, &[]),
        ("package.json", r#"{"main":"index.js"}"#, &[]),
        (
            "package.json",
            r#"{"name":"x","version":"1.0.0","main":"index.js"}"#,
            &["[entry]", "[library]"],
        ),
        (
            "package.json",
            r#"{"name":"x","version":"1.0.0","exports":"./x.js"}"#,
            &["[entry]", "[library]"],
        ),
        ("package.json", r#"{"name":"x","version":"1.0.0","main":"server.js"}"#, &[]),
        (
            "package.json",
            r#"{"name":"x","version":"1.0.0","main":"x.js","scripts":{"start":"node x.js"}}"#,
            &[],
        ),
        ("package.json", r#"{"name":"x","version":"1","main":"x.js","private":true}"#, &[]),
        ("Cargo.toml", "[lib]\n", &["[library]"]),
        ("Cargo.toml", "[package]\ncategories = [\"command-line-utilities\"]\n", &["[command]"]),
        ("pyproject.toml", "[build-system]\n", &["[library]"]),
        ("pyproject.toml", "[build-system]\n[project.scripts]\nx = \"x:y\"\n", &["[command]"]),
        ("pyproject.toml", "[build-system]\n[tool.poetry]\npackage-mode = false\n", &[]),
        ("A.csproj", "<PackAsTool>true</PackAsTool><PackageId>X</PackageId>", &["[command]"]),
        ("A.csproj", "<IsPackable>true</IsPackable>", &["[library]"]),
        ("A.csproj", "<IsPackable>false</IsPackable>", &[]),
        ("mix.exs", "[escript: [main_module: X]]", &["[command]"]),
        ("mix.exs", "[package: package()]", &["[library]"]),
        ("Package.swift", "products: [.library(name: \"X\")]", &["[library]"]),
        ("pubspec.yaml", "name: x\npublish_to: 'none'\n", &[]),
        ("pubspec.yaml", "name: x\nexecutables:\n  x:\n", &["[command]"]),
    ] {
        assert_eq!(found(name, text), expected, "{name}: {text}");
    }
}

#[test]
fn a_broken_manifest_names_nothing() {
    for name in ["package.json", "Cargo.toml", "pyproject.toml"] {
        assert_eq!(found(name, "{\"dependencies\": {"), [] as [&str; 0], "{name}");
        assert!(dependencies(name, b"\xff\xfe").is_empty(), "{name}");
    }
    assert_eq!(found("package.json", r#"{"dependencies": ["express"]}"#), [] as [&str; 0]);
    assert_eq!(found("package.json", "\u{feff}{\"dependencies\":{\"koa\":\"1\"}}"), ["koa"]);
}

#[test]
fn names_are_compared_without_what_registries_differ_in() {
    assert_eq!(normalized("Scikit_Learn"), normalized("scikit-learn"));
    assert!(!is_manifest(".csproj") && !is_manifest("package.json.bak"));
}

proptest! {
    /// Bytes of others are data: no manifest makes a reader panic.
    #[test]
    fn any_bytes_are_read(
        bytes in proptest::collection::vec(any::<u8>(), 0..400), at in 0..NAMES.len(),
    ) {
        let name = NAMES[at].replace('*', "x");
        dependencies(&name, &bytes);
    }

    #[test]
    fn any_text_of_their_letters_is_read(
        text in "[a-z<>/{}:'\"`.=\\- \n(),\\[\\]#!]{0,300}", at in 0..NAMES.len(),
    ) {
        let name = NAMES[at].replace('*', "x");
        dependencies(&name, text.as_bytes());
    }
}
