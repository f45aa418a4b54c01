/** What a browser says it is, in a few words. Pure. */
import type { Words } from "./words.ts";

/** The first that fits counts: browsers name others that they are like. */
const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;
const systems = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
] as const;
const SHOWN_MAX = 80;

/** A device in words: `Firefox on Linux`; what the browser says where it is no known one. */
export function deviceOf(userAgent: string | undefined, say: Words): string {
  if (!userAgent) return say.unknownDevice;
  const first = (known: typeof browsers | typeof systems) => known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [first(browsers), first(systems)];
  return browser && system ? say.deviceOf(browser, system) : userAgent.slice(0, SHOWN_MAX);
}
