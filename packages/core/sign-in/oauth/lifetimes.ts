/**
 * How long tokens live: what the application is configured for, and at most what the deployment allows. Settings and
 * tokens that are older than a limit can be above it. Pure.
 */
import type { ClientLimits } from "../../applications/protocols/limits.ts";
import type { ClientRecord } from "../../applications/registry/client-model.ts";
import { FAMILY_SECONDS, type Family } from "../../tokens/refresh-family-store.ts";

/** The life of an access token, of a user or of the application itself. */
export function accessSeconds(settings: ClientRecord, isOfUser: boolean, limits: ClientLimits): number {
  const wanted = isOfUser ? settings.userTokenSeconds : settings.clientTokenSeconds;
  return Math.min(wanted, limits.accessTokenSecondsMax);
}

/** The life of a refresh token. */
export function refreshSeconds(settings: ClientRecord, limits: ClientLimits): number {
  return Math.min(settings.refreshSeconds, limits.refreshTokenSecondsMax);
}

/** The life of a family whose refresh tokens live for some seconds. */
export function familySeconds(refresh: number): number {
  return Math.max(FAMILY_SECONDS, refresh);
}

/** When a family ends, which can have been stored for longer than the deployment allows. */
export function familyEndsAtSeconds({ endsAtSeconds, startedMs }: Family, limits: ClientLimits): number {
  const longest = familySeconds(limits.refreshTokenSecondsMax);
  return Math.min(endsAtSeconds, Math.ceil(startedMs / 1_000) + longest);
}
