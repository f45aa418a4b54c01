/** What a tenant shows of itself on the pages of sign-in: name, logo and colour. */
import * as z from "../../kernel/zod.ts";
import type { Brand } from "../../sign-in/pages/layout.ts";
import { table } from "./shared.ts";

/** The grounds that the colour stands on, and that the text of buttons has: those of the style of the pages. */
export const grounds = { light: "#ffffff", dark: "#202329" } as const;
/** WCAG 2.2, success criterion 1.4.3. */
const CONTRAST_MIN = 4.5;
const MIX_STEP = 0.05;

/** The characters of an address that a content security policy and an attribute take as they are. */
const ADDRESS = /^https:\/\/[A-Za-z0-9.-]+(:\d{1,5})?\/[A-Za-z0-9._~/%+@=&?-]*$/;

/** A tenant in deployment.toml. */
export const BrandedTenant = table({
  domain: z.string().min(1).max(255),
  name: z.string().trim().min(1).max(100).optional(),
  logo: z
    .string()
    .max(500)
    .refine((text) => ADDRESS.test(text) && URL.canParse(text), {
      error: "must be an https address of an image, without spaces, quotes, commas and semicolons",
    })
    .optional(),
  colour: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, { error: 'must be a colour like "#0b5cad"' })
    .refine((text) => !/^#[0-9a-fA-F]{6}$/.test(text) || contrast(text, grounds.light) >= CONTRAST_MIN, {
      error: `must be darker: its contrast with white is less than ${CONTRAST_MIN} to 1`,
    })
    .optional(),
});

/** The brand of a declared tenant. The colour for dark pages is lighter, so that it can be read. */
export function brandFrom({ name, logo, colour }: z.output<typeof BrandedTenant>): Brand {
  return {
    ...(name !== undefined && { name }),
    ...(logo !== undefined && { logo }),
    ...(colour !== undefined && { accents: { light: colour.toLowerCase(), dark: forDark(colour) } }),
  };
}

function forDark(colour: string): string {
  let share = 0;
  let mixed = colour.toLowerCase();
  while (contrast(mixed, grounds.dark) < CONTRAST_MIN) {
    share += MIX_STEP;
    mixed = `#${channels(colour)
      .map((channel) => Math.min(255, Math.round(channel + (255 - channel) * share)))
      .map((channel) => channel.toString(16).padStart(2, "0"))
      .join("")}`;
  }
  return mixed;
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour)
    .map((channel) => channel / 255)
    .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(colour: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
