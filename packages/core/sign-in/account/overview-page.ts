/** The page of the own account. */
import { isRunnable } from "../../applications/protocols/addresses.ts";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { ACCOUNT_PATH, type AccountVisit } from "../flow/account.ts";
import { type Html, html } from "../pages/html.ts";
import { page } from "../pages/layout.ts";
import type { Openable } from "../portal/applications.ts";
import { deviceOf } from "./device.ts";
import type { OwnChange, OwnConsent } from "./own-data.ts";
import { buttonForm } from "./page.ts";
import { listOf, textsOf, verifiedOf } from "./profile.ts";
import type { Visitor } from "./visitor.ts";
import { type Words, words } from "./words.ts";

/** A session of the person. */
export interface ShownSession {
  readonly id: string;
  readonly userAgent: string;
  readonly ip: string;
  /** In milliseconds since 1970. */
  readonly loginTime: string;
  readonly lastAccessTime: string;
  readonly applications: readonly { readonly appName: string }[];
}

/** What the page shows. */
export interface Overview {
  readonly visitor: Visitor;
  readonly userName: string;
  readonly hasCodes: boolean;
  readonly hasPasskeys: boolean;
  /** True where the user store takes no change from here. */
  readonly isReadOnly: boolean;
  readonly sessions: readonly ShownSession[];
  /** Those that the person can open, in the order of their names. */
  readonly applications: readonly Openable[];
  readonly consents: readonly OwnConsent[];
  readonly changes: readonly OwnChange[];
  readonly mayDelete: boolean;
  readonly done?: keyof Words["done"] | undefined;
}

/** A row of a list of terms; none for one without values. */
export type Row = readonly [term: string, values: readonly (Html | string)[]];

export function overviewPage(overview: Overview): PageResult {
  const { visitor, userName, done } = overview;
  const say = words[visitor.language];
  const content = html`<h1>${say.title}</h1>
${done === undefined ? undefined : html`<p role="status">${say.done[done]}</p>`}
<p>${say.signedInAs(userName)} <a href="${visitor.path("/oidc/logout")}">${say.signOut}</a></p>
${profileSection(overview, say)}
${passwordSection(overview, say)}
${factorSection(overview, say)}
${sessionSection(overview, say)}
${applicationSection(overview, say)}
${consentSection(overview, say)}
${changeSection(overview, say)}
${dataSection(overview, say)}`;
  return page(say.title, visitor, content, { isWide: true });
}

/** A part of the page, with a name for those who jump from part to part. */
function sectionOf(id: string, title: string, content: Html): Html {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${content}
</section>`;
}

function terms(rows: readonly Row[]): Html {
  const shown = rows.filter(([, values]) => values.length > 0);
  return html`<dl>
${shown.map(([term, values]) => html`<dt>${term}</dt>${values.map((value) => html`<dd>${value}</dd>`)}\n`)}
</dl>`;
}

function profileSection({ visitor, userName, isReadOnly }: Overview, say: Words): Html {
  const { user, path } = visitor;
  const verified = verifiedOf(user);
  const listed = (kind: "email" | "phone") =>
    listOf(user, kind).map((value) => (verified.has(value) ? `${value} (${say.profileVerified})` : value));
  const rows: readonly Row[] = [
    [say.attributes.userName, [userName]],
    ...textsOf(user).map(({ name, value }): Row => [say.attributes[name], value === "" ? [] : [value]]),
    [say.attributes.emails, listed("email")],
    [say.attributes.phoneNumbers, listed("phone")],
  ];
  const edit = isReadOnly
    ? html`<p class="quiet">${say.profileElsewhere}</p>`
    : html`<p><a href="${path(`${ACCOUNT_PATH}/profile`)}">${say.profileEdit}</a></p>`;
  return sectionOf("profile", say.profileTitle, html`${terms(rows)}\n${edit}`);
}

function taskLink({ path }: Visitor, task: NonNullable<AccountVisit["task"]>, text: string): Html {
  return html`<a href="${path(`${ACCOUNT_PATH}/sign-in?task=${task}`)}">${text}</a>`;
}

function passwordSection({ visitor, isReadOnly }: Overview, say: Words): Html {
  const content = isReadOnly
    ? html`<p class="quiet">${say.passwordElsewhere}</p>`
    : html`<p>${taskLink(visitor, "password", say.passwordChange)}</p>
<p class="quiet">${say.passwordAdvice}</p>`;
  return sectionOf("password", say.passwordTitle, content);
}

function factorSection({ visitor, hasCodes, hasPasskeys }: Overview, say: Words): Html {
  const removing = (factor: "codes" | "passkeys", text: string) =>
    buttonForm(
      visitor.path(`${ACCOUNT_PATH}/factors`),
      { request: visitor.handleOf(`factor ${factor}`), factor },
      text,
      "second",
    );
  const content = html`<p class="quiet">${say.factorsAdvice}</p>
<h3>${say.codes}</h3>
<p>${hasCodes ? say.codesOn : say.codesOff} ${taskLink(visitor, "app", hasCodes ? say.codesReplace : say.codesSetUp)}</p>
${hasCodes ? removing("codes", say.codesRemove) : undefined}
<h3>${say.passkeys}</h3>
<p>${hasPasskeys ? say.passkeysOn : say.passkeysOff} ${taskLink(visitor, "passkey", hasPasskeys ? say.passkeyMore : say.passkeyAdd)}</p>
${hasPasskeys ? removing("passkeys", say.passkeysRemove) : undefined}`;
  return sectionOf("factors", say.factorsTitle, content);
}

function sessionSection({ visitor, sessions }: Overview, say: Words): Html {
  const action = visitor.path(`${ACCOUNT_PATH}/sessions`);
  const shown = sessions.map(({ id, userAgent, ip, loginTime, lastAccessTime, applications }) => {
    const isHere = id === visitor.session.sid;
    const device = deviceOf(userAgent, say.device);
    const rows: readonly Row[] = [
      [say.sessionSince, [time(Number(loginTime), visitor)]],
      [say.sessionSeen, [time(Number(lastAccessTime), visitor)]],
      [say.sessionAddress, [ip]],
      [say.sessionFor, applications.map(({ appName }) => appName)],
    ];
    const end = buttonForm(
      action,
      { request: visitor.handleOf(`session ${id}`), session: id },
      say.sessionEnd(device),
      "second",
    );
    return html`<h3>${device}${isHere ? ` – ${say.sessionHere}` : ""}</h3>
${terms(rows)}
${isHere ? undefined : end}
`;
  });
  const all = buttonForm(action, { request: visitor.handleOf("sessions") }, say.sessionsEnd, "second");
  return sectionOf("sessions", say.sessionsTitle, html`${shown}${all}`);
}

function applicationSection({ applications }: Overview, say: Words): Html {
  // What a browser would run is no address of a page, whatever is stored.
  const all = applications.filter(({ accessUrl }) => !isRunnable(accessUrl));
  const shown = all.slice(0, APPLICATIONS_SHOWN).map(({ name, accessUrl, description }) => {
    const about = description ? html`<br><span class="quiet">${description}</span>` : undefined;
    return html`<li><a href="${accessUrl}" rel="noopener">${name}</a>${about}</li>`;
  });
  const more = all.length - shown.length;
  const content =
    shown.length === 0
      ? html`<p>${say.applicationsNone}</p>`
      : html`<ul>${shown}</ul>
${more > 0 ? html`<p>${say.applicationsMore(more)}</p>` : undefined}`;
  return sectionOf("applications", say.applicationsTitle, content);
}

/** A page with more of them is no overview any more. */
const APPLICATIONS_SHOWN = 100;

function consentSection({ visitor, consents }: Overview, say: Words): Html {
  if (consents.length === 0) return sectionOf("consents", say.consentsTitle, html`<p>${say.consentsNone}</p>`);
  const shown = consents.map(({ applicationId, name, givenMs, inWords }) => {
    const request = visitor.handleOf(`consent ${applicationId}`);
    const back = buttonForm(
      visitor.path(`${ACCOUNT_PATH}/consents`),
      { request, application: applicationId },
      say.consentTake(name),
      "second",
    );
    return html`<h3>${name}</h3>
<p>${say.consentMay}</p>
<ul>${inWords.map((each) => html`<li>${each}</li>`)}</ul>
<p class="quiet">${say.consentGiven}: ${time(givenMs, visitor)}</p>
${back}
`;
  });
  return sectionOf("consents", say.consentsTitle, html`${shown}`);
}

function changeSection({ visitor, changes }: Overview, say: Words): Html {
  const known: Readonly<Record<string, string>> = say.attributes;
  const nameOf = (name: string) => (Object.hasOwn(known, name) ? known[name] : undefined) ?? say.attributes.other;
  const shown = changes.map(({ atMs, isOwn, attributes }) => {
    const what = [...new Set(attributes.map(nameOf))].join(", ");
    const who = say.changedBy(isOwn ? say.byYou : say.byOthers);
    return html`<li>${what}<br><span class="quiet">${time(atMs, visitor)}, ${who}</span></li>`;
  });
  const content = shown.length === 0 ? html`<p>${say.changesNone}</p>` : html`<ul>${shown}</ul>`;
  return sectionOf("changes", say.changesTitle, content);
}

function dataSection({ visitor, mayDelete }: Overview, say: Words): Html {
  const content = html`<p>${say.dataAdvice}</p>
<p><a href="${visitor.path(`${ACCOUNT_PATH}/data`)}" download>${say.dataDownload}</a></p>
${mayDelete ? html`<p><a href="${visitor.path(`${ACCOUNT_PATH}/deletion`)}">${say.deletionLink}</a></p>` : undefined}`;
  return sectionOf("data", say.dataTitle, content);
}

/** A time where the person is, if the profile says where; in UTC otherwise. */
function time(ms: number, { language, user }: Visitor): Html {
  const { timezone } = user.profile;
  const text = formatted(ms, language, typeof timezone === "string" ? timezone : "UTC");
  return html`<time datetime="${new Date(ms).toISOString()}">${text}</time>`;
}

function formatted(ms: number, language: string, timeZone: string): string {
  try {
    const parts = { dateStyle: "medium", timeStyle: "long", timeZone } as const;
    return new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, parts).format(ms);
  } catch {
    // Clients store any text as a time zone.
    return formatted(ms, language, "UTC");
  }
}
