/** The libraries python3-saml and pysaml2, in the service provider of service_provider.py. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Kind, originOf, startOther } from "./program.ts";

const SCRIPT = fileURLToPath(new URL("service_provider.py", import.meta.url));
// Packages of Debian belong to its own Python.
const pythonWith = (modules: string) =>
  ["/usr/bin/python3", "python3"].find((each) => spawnSync(each, ["-c", `import ${modules}`]).status === 0) ?? "";

const kindOf = (
  name: string,
  modules: string,
  { ways, ...kind }: Pick<Kind, "install" | "user" | "formPath"> & { readonly ways: readonly string[] },
): Kind => {
  const python = pythonWith(modules);
  return {
    ...kind,
    name,
    isInstalled: python !== "",
    start: (told) =>
      startOther({
        files: {
          "idp.xml": told.metadata,
          "sp.key": told.key.key,
          "sp.pem": told.key.certificate,
          "settings.json": JSON.stringify({ base: originOf(told) }),
        },
        programs: [{ port: told.port, command: python, args: [SCRIPT, name, "{folder}"] }],
        metadataAt: `${originOf(told)}/metadata`,
        page: `${originOf(told)}/page`,
        userOn: ({ html }) => /^<p>signed in: <b>(.*)<\/b><\/p>$/.exec(html)?.[1],
        left: /^you have left$/,
        logouts: Object.fromEntries(
          ways.map((way) => [`by ${way}`, `${originOf(told)}/logout?by=${encodeURIComponent(way)}`]),
        ),
      }),
  };
};

export const python3Saml = kindOf("python3-saml", "onelogin.saml2.auth", {
  install: "apt-get install python3-onelogin-saml2",
  user: /^kim$/,
  ways: ["redirect"],
});
export const pysaml2 = kindOf("pysaml2", "saml2.client", {
  install: "apt-get install python3-pysaml2",
  user: /^[\w-]{43}$/,
  formPath: "/login?by=form",
  ways: ["redirect", "form", "SOAP"],
});
