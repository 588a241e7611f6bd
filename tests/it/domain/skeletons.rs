//! Ordinary projects of every kind, with their initial files. Each must be recognised.

/// A project with its kind and files.
pub(crate) struct Skeleton {
    pub(crate) domain: &'static str,
    /// Paths and contents.
    pub(crate) files: &'static [(&'static str, &'static str)],
}

const fn of(domain: &'static str, files: &'static [(&'static str, &'static str)]) -> Skeleton {
    Skeleton { domain, files }
}

/// Projects of one kind each.
pub(crate) const SKELETONS: &[Skeleton] = &[
    of(
        "game-simulation",
        &[
            ("project.godot", "[application]\nconfig/name=\"Game\"\n"),
            ("scenes/main.tscn", "[gd_scene]\n"),
            ("scripts/player.gd", "extends CharacterBody2D\n"),
        ],
    ),
    of(
        "game-simulation",
        &[
            ("Cargo.toml", "[package]\nname = \"game\"\n[dependencies]\nbevy = \"0.13\"\n"),
            ("assets/sprites/hero.png", ""),
            ("src/main.rs", "use bevy::prelude::*;\nfn main() { App::new().run(); }\n"),
        ],
    ),
    of(
        "ml-pipeline",
        &[
            ("pyproject.toml", "[project]\nname = \"m\"\ndependencies = [\"torch\", \"wandb\"]\n"),
            ("train.py", "import torch\n"),
            ("notebooks/explore.ipynb", "{}"),
        ],
    ),
    of(
        "ml-pipeline",
        &[
            ("requirements.txt", "scikit-learn==1.4\npandas\n"),
            ("train.py", "from sklearn.model_selection import train_test_split\n"),
            ("data/raw/x.csv", ""),
        ],
    ),
    of(
        "web-api",
        &[
            ("package.json", r#"{"dependencies":{"express":"^4"}}"#),
            ("src/index.js", "const app = express();\napp.get('/', f);\napp.listen(3000);\n"),
            ("src/routes/users.js", ""),
        ],
    ),
    of(
        "web-api",
        &[
            ("go.mod", "module x\nrequire github.com/gin-gonic/gin v1.9.0\n"),
            ("internal/handlers/user.go", "package handlers\n"),
            ("server.go", "package main\n"),
        ],
    ),
    of(
        "web-api",
        &[
            (
                "pom.xml",
                "<project><dependencies><dependency><groupId>org.springframework.boot</groupId>\
                 <artifactId>spring-boot-starter-web</artifactId></dependency></dependencies>\
                  </project>",
            ),
            ("src/main/resources/application.yml", ""),
            ("src/main/java/x/App.java", ""),
        ],
    ),
    of(
        "web-api",
        &[
            ("Gemfile", "gem 'rails', '~> 7'\n"),
            ("config/routes.rb", "Rails.application.routes.draw do\nend\n"),
            ("app/controllers/users_controller.rb", ""),
            ("config.ru", ""),
        ],
    ),
    of(
        "web-api",
        &[
            ("mix.exs", "defp deps do\n [{:phoenix, \"~> 1.7\"}, {:bandit, \"~> 1.0\"}]\nend\n"),
            ("lib/shop_web/router.ex", ""),
        ],
    ),
    of(
        "web-api",
        &[
            (
                "Api.csproj",
                "<Project Sdk=\"Microsoft.NET.Sdk.Web\"><PackageReference \
                 Include=\"Swashbuckle.AspNetCore\"/></Project>",
            ),
            ("Program.cs", "app.MapGet(\"/\", () => 1);\n"),
            ("appsettings.json", "{}"),
        ],
    ),
    of(
        "cli-tool",
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"tool\"\n[dependencies]\n\
                 clap = { version = \"4\", features = [\"derive\"] }\n",
            ),
            ("src/main.rs", "use clap::Parser;\n#[derive(Parser)]\nstruct Cli;\nfn main() {}\n"),
        ],
    ),
    of(
        "cli-tool",
        &[
            ("go.mod", "module x\nrequire (\n\tgithub.com/spf13/cobra v1.8.0\n)\n"),
            ("main.go", "package main\n"),
            ("cmd/root.go", "package cmd\nvar rootCmd = &cobra.Command{}\n"),
        ],
    ),
    of(
        "cli-tool",
        &[
            ("pyproject.toml", "[tool.poetry.dependencies]\npython = \"^3.11\"\nclick = \"^8\"\n"),
            ("tool/__main__.py", "import click\n"),
            ("tool/cli.py", "@click.command()\ndef main(): ...\n"),
        ],
    ),
    of(
        "mobile-app",
        &[
            ("pubspec.yaml", "name: app\ndependencies:\n  flutter:\n    sdk: flutter\n"),
            (
                "lib/main.dart",
                "void main() => runApp(MyApp());\nclass MyApp extends StatelessWidget {}\n",
            ),
            ("android/app/build.gradle", ""),
            ("ios/Runner/Info.plist", ""),
        ],
    ),
    of(
        "mobile-app",
        &[
            (
                "build.gradle.kts",
                "plugins {\n    alias(libs.plugins.android.application) apply false\n}\n",
            ),
            ("app/build.gradle.kts", "plugins {\n    id(\"com.android.application\")\n}\n"),
            ("app/src/main/AndroidManifest.xml", "<manifest/>"),
        ],
    ),
    of(
        "mobile-app",
        &[
            ("App.xcodeproj/project.pbxproj", ""),
            ("App/ContentView.swift", "import SwiftUI\n"),
            ("App/Info.plist", ""),
        ],
    ),
    of(
        "embedded-systems",
        &[
            ("platformio.ini", "[env:uno]\nboard = uno\n"),
            ("src/main.cpp", "void setup() {}\nvoid loop() { digitalWrite(1, HIGH); }\n"),
        ],
    ),
    of(
        "embedded-systems",
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"fw\"\n[dependencies]\ncortex-m = \"0.7\"\n\
                 cortex-m-rt = \"0.7\"\n",
            ),
            ("memory.x", "MEMORY {}\n"),
            ("src/main.rs", "#![no_std]\n#![no_main]\n"),
        ],
    ),
    of(
        "data-pipeline",
        &[
            ("dbt_project.yml", "name: shop\n"),
            ("models/staging/orders.sql", ""),
            ("macros/x.sql", ""),
        ],
    ),
    of(
        "data-pipeline",
        &[
            ("requirements.txt", "apache-airflow==2.8\n"),
            ("dags/daily.py", "from airflow import DAG\n@task\ndef load(): ...\n"),
        ],
    ),
    of(
        "library-sdk",
        &[
            ("Cargo.toml", "[package]\nname = \"lib\"\n[dev-dependencies]\ncriterion = \"0.5\"\n"),
            ("src/lib.rs", "#![warn(missing_docs)]\npub use self::x::X;\n"),
            ("examples/basic.rs", ""),
        ],
    ),
    of(
        "library-sdk",
        &[
            ("package.json", r#"{"name":"lib","devDependencies":{"tsup":"8"}}"#),
            ("tsup.config.ts", ""),
            ("src/index.ts", "export * from './x';\n"),
        ],
    ),
    of(
        "library-sdk",
        &[
            ("x.gemspec", "Gem::Specification.new do |s|\nend\n"),
            ("lib/x.rb", "# public api\n"),
            ("examples/a.rb", ""),
        ],
    ),
    of(
        "tui-app",
        &[
            ("Cargo.toml", "[dependencies]\nratatui = \"0.26\"\ncrossterm = \"0.27\"\n"),
            ("src/main.rs", "use ratatui::Frame;\n"),
            ("src/ui.rs", ""),
        ],
    ),
    of(
        "tui-app",
        &[
            (
                "go.mod",
                "module x\nrequire github.com/charmbracelet/bubbletea v0.25.0\n\
                 require github.com/charmbracelet/lipgloss v0.9.0\n",
            ),
            ("main.go", "package main\n"),
        ],
    ),
    of(
        "desktop-tauri",
        &[
            (
                "package.json",
                "{\"dependencies\":{\"@tauri-apps/api\":\"2\"},\
                 \"devDependencies\":{\"@tauri-apps/cli\":\"2\"}}",
            ),
            (
                "src-tauri/Cargo.toml",
                "[dependencies]\ntauri = \"2\"\n[build-dependencies]\ntauri-build = \"2\"\n",
            ),
            ("src-tauri/tauri.conf.json", "{}"),
            ("src-tauri/src/main.rs", "fn main() { tauri::Builder::default(); }\n"),
        ],
    ),
    of(
        "claude-code-plugin",
        &[
            (".claude-plugin/plugin.json", "{\"name\":\"x\"}"),
            ("commands/go.md", "# go\n"),
            ("agents/reviewer.md", ""),
        ],
    ),
    of(
        "cli-tool",
        &[
            (
                "Package.swift",
                ".package(url: \"https://github.com/apple/swift-argument-parser.git\", \
                 from: \"1.3.0\"),\n.product(name: \"ArgumentParser\", \
                  package: \"swift-argument-parser\"),\n",
            ),
            ("Sources/tool/main.swift", "import ArgumentParser\n"),
        ],
    ),
];

/// Lists projects as the tools of each language create them, with the domain of each.
pub(crate) fn templates() -> Vec<(&'static str, Vec<(&'static str, &'static str)>)> {
    let all = include_str!("templates.txt").split("\n== ").skip(1);
    let template = |text: &'static str| {
        let mut files = text.split("\n-- ");
        let (domain, _) = files.next().unwrap().split_once(": ").unwrap();
        (domain, files.map(|file| file.split_once('\n').unwrap_or((file, ""))).collect())
    };
    all.map(template).collect()
}

/// Repositories that are no project of any kind.
pub(crate) const NOTHING_KNOWN: &[&[(&str, &str)]] = &[
    &[("README.md", "# Sprites, collisions and a game loop\n")],
    &[],
    &[("notes.txt", "a"), ("src/a.txt", "b")],
    &[("models/one.md", ""), ("notebooks/two.md", "")],
    &[("package.json", "{\"dependencies\":{\"left-pad\":\"1\"}}"), ("README.md", "")],
    // One signal is none, whatever it is: a framework, a file, a command.
    &[("package.json", "{\"dependencies\":{\"express\":\"4\"}}"), ("README.md", "express")],
    &[("Cargo.toml", "[dependencies]\naxum = \"0.7\"\n")],
    &[("package.json", "{\"bin\":\"x.sh\"}"), ("x.sh", "")],
    &[("openapi.yaml", ""), ("README.md", "")],
    &[("main.go", "package main\n")],
    // A page in a browser, with and without a framework, and what people keep in their home.
    &[("index.html", ""), ("style.css", ""), ("app.js", "module.exports; process.argv")],
    &[
        (
            "package.json",
            "{\"private\":true,\"dependencies\":{\"react\":\"18\"},\
             \"devDependencies\":{\"vite\":\"5\"}}",
        ),
        ("src/main.tsx", "createRoot(x).render(<App/>)"),
        ("src/vite-env.d.ts", ""),
        ("src/components/index.ts", "export * from './A'"),
        ("src/components/A.tsx", ""),
    ],
    &[(".bashrc", ""), ("install.sh", ""), ("bin/x.sh", "")],
    // The requirements of others do not make the kind of this project.
    &[
        ("go.mod", "module x\nrequire (\n\tgithub.com/spf13/cobra v1.8 // indirect\n)\n"),
        ("x.go", "package x\n"),
        ("main.go", "package main\n"),
    ],
];

/// A repository of many packages, none of them at the top, with the domain of each.
pub(crate) const MONOREPO: &[(&str, &str)] = &[
    ("README.md", ""),
    ("package.json", r#"{"private":true,"workspaces":["packages/*"]}"#),
    ("packages/api/package.json", r#"{"dependencies":{"fastify":"4","@prisma/client":"5"}}"#),
    ("packages/api/src/routes/a.ts", ""),
    ("packages/admin-api/package.json", r#"{"dependencies":{"express":"4"}}"#),
    ("packages/admin-api/routes/a.js", ""),
    ("packages/cli/package.json", r#"{"dependencies":{"commander":"12"}}"#),
    ("packages/cli/src/cli.ts", "program.command('x'); process.argv;\n"),
    ("services/training/pyproject.toml", "[project]\ndependencies = [\"torch\", \"mlflow\"]\n"),
    ("services/training/train.py", ""),
];

/// The paths of the domains of [`MONOREPO`].
pub(crate) const MONOREPO_PATHS: &[(&str, &[&str])] = &[
    ("web-api", &["packages/admin-api", "packages/api"]),
    ("ml-pipeline", &["services/training"]),
    ("cli-tool", &["packages/cli"]),
];

/// A repository of plugins, all of whose signs are one level too deep to be found at the top.
pub(crate) const PLUGINS: &[(&str, &str)] = &[
    ("README.md", ""),
    ("plugins/one/.claude-plugin/plugin.json", "{}"),
    ("plugins/one/commands/a.md", ""),
    ("plugins/one/skills/b/SKILL.md", ""),
    ("plugins/two/.claude-plugin/plugin.json", "{}"),
    ("plugins/two/agents/a.md", ""),
    ("plugins/two/hooks/hooks.json", "{}"),
    ("core/go.mod", "module core\nrequire github.com/spf13/cobra v1.8.0\n"),
    ("core/cmd/root.go", ""),
    ("core/main.go", ""),
];

/// The paths of the domains of [`PLUGINS`].
pub(crate) const PLUGINS_PATHS: &[(&str, &[&str])] =
    &[("claude-code-plugin", &["plugins/one", "plugins/two"]), ("cli-tool", &["core"])];
