/** What a browser says it is, in a few words. Pure. */

/** How a language names devices. */
export interface DeviceWords {
  readonly unknown: string;
  readonly named: (browser: string, system: string) => string;
}

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
export function deviceOf(userAgent: string | undefined, say: DeviceWords): string {
  return knownDeviceOf(userAgent, say) ?? (userAgent ? userAgent.slice(0, SHOWN_MAX) : say.unknown);
}

/** The same for a known browser on a known system, in words of this service alone; `undefined` for others. */
export function knownDeviceOf(userAgent = "", say: DeviceWords): string | undefined {
  const first = (known: typeof browsers | typeof systems) => known.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, system] = [first(browsers), first(systems)];
  return browser && system ? say.named(browser, system) : undefined;
}
