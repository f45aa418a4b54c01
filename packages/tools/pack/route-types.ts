/**
 * Prints the types of all routes, written out. In this project they are inferred from the catalogue
 * (packages/client/routes.ts); a package must not depend on it, nor on the library of its schemas. A program of its
 * own, because the compiler writes to standard error when it is closed.
 */
import { fileURLToPath } from "node:url";
import { API } from "typescript/unstable/sync";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const SOURCE = `${root}packages/client/routes.ts`;
/** `NodeBuilderFlags`: no truncation, and the members of an alias in place of its name. */
const WRITTEN_OUT = 1 | 8_388_608;
/** Types of packages/client/scim.ts that the text names. */
const SCIM_NAMES = /\b(?:Scim|New(?:User|Group|Role)\b)\w*/g;

process.stdout.write(routeTypes());

/** The text of a declaration file with the interface `Shapes`. Throws an `Error` where a type cannot be written out. */
function routeTypes(): string {
  const api = new API({ cwd: root });
  try {
    const configuration = `${root}tsconfig.json`;
    const project = api.updateSnapshot({ openProject: configuration }).getProject(configuration);
    const source = project?.program.getSourceFile(SOURCE);
    if (!project || !source) throw new Error(`${SOURCE} is not part of ${configuration}.`);
    const { checker } = project;
    const at = source.text.indexOf("export type Shapes") + "export type ".length;
    const symbol = checker.getSymbolAtPosition(SOURCE, at);
    if (!symbol) throw new Error(`${SOURCE} does not export the type Shapes.`);
    const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).map((route) => {
      const type = checker.getTypeOfSymbol(route);
      if (!type) throw new Error(`The type of "${route.name}" is unknown.`);
      const text = checker.typeToString(type, undefined, WRITTEN_OUT);
      if (/\bany\b/.test(text.replace(/"[^"]*"/g, "")))
        throw new Error(`The type of "${route.name}" is not complete: ${text}`);
      return `  readonly ${JSON.stringify(route.name)}: ${text};\n`;
    });
    const text = members.join("");
    const names = [...new Set(text.match(SCIM_NAMES))].sort();
    return [
      `import type { ${names.join(", ")} } from "./scim.js";`,
      'import type { TokenActor } from "./tokens.js";\n',
      "/** Each route: the parameters of its query, its body, and the body of its answer. */",
      `export interface Shapes {\n${text}}\n`,
    ].join("\n");
  } finally {
    api.close();
  }
}
