/**
 * `npm run settings-table` writes docs/settings-of-applications.md; with `-- --check` it fails when the committed
 * document differs.
 */
import { writeOrCheck } from "./generated.ts";
import { settingsDocument } from "./settings/settings.ts";

await writeOrCheck("docs/settings-of-applications.md", settingsDocument(), "settings-table");
