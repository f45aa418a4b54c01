/** The version of the command: that of the project. `npm run pack` puts the text in its place. */
import manifest from "../../package.json" with { type: "json" };

export const version: string = manifest.version;
