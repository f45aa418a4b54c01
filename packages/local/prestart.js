/**
 * What `npm start` and `npm run dev` check before they begin: that this machine can run the service at all. It is
 * JavaScript that every Node.js reads, on every shell that npm uses. Prints what to do and exits with 1.
 */
import { existsSync } from "node:fs";

const NODE_MAJOR = 24;

/** What to do before the service can start here; `undefined` where nothing is missing. */
function advice() {
  const { platform, arch, versions } = process;
  if (platform === "win32") {
    return [
      "The service needs Linux or macOS: its scripts do not run in the shells of Windows.",
      "Install WSL (`wsl --install` in PowerShell), and run `npm ci` and `npm start` in a clone inside of it.",
    ];
  }
  if (!existsSync(new URL("../../node_modules", import.meta.url))) return ['Run "npm ci" first.'];
  if (Number(versions.node.split(".")[0]) >= NODE_MAJOR) return undefined;
  return [
    `The service needs Node ${NODE_MAJOR}, and this is ${versions.node}: npm has no Node ${NODE_MAJOR} for ${platform}-${arch}, or left it out.`,
    `Install Node ${NODE_MAJOR} from https://nodejs.org/en/download (or \`nvm install ${NODE_MAJOR}\`), or run "npm ci" without --omit=optional.`,
  ];
}

const lines = advice();
if (lines) {
  process.stderr.write(`${lines.join("\n")}\n`);
  process.exitCode = 1;
}
