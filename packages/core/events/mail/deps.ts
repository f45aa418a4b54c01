/** What the worker of mails uses, and what it reports. */
import type { Table } from "../../database/table/table.ts";
import type { TenantStore } from "../../directory/tenant-store.ts";
import type { UserStore } from "../../directory/users/store.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Brand } from "../../sign-in/pages/layout.ts";
import type { MarkKind } from "../../tokens/mail-mark-store.ts";
import type { MailKind } from "../../tokens/mail-model.ts";
import type { MailLimits, Sender, SendMail } from "./model.ts";

/** What became of one mail in one attempt, without names and addresses. */
export interface Mailed {
  readonly tenant: string;
  readonly kind: MailKind;
  readonly sent: number;
  readonly failure?: string;
  readonly isGivenUp?: true;
  /** Since it was asked for. */
  readonly lagMs: number;
  /** The cause of a failure that is not that of the recipient. */
  readonly defect?: unknown;
}

/** An address to which no more mails go, without the address. */
export interface Marked {
  readonly tenant: string;
  readonly mark: MarkKind;
}

/** What the worker uses. */
export interface MailDeps {
  readonly table: Table;
  readonly users: Pick<UserStore, "find" | "findMany" | "idOf" | "idsBy">;
  readonly tenants: Pick<TenantStore, "find">;
  readonly brandOf: (tenant: string) => Brand;
  readonly sender: Sender;
  readonly limits: MailLimits;
  /** The address of the service, which links begin with: a setting, and nothing of a request. */
  readonly origin: string;
  readonly send: SendMail;
  readonly clock: Clock;
  readonly report: (mailed: Mailed) => void;
  readonly reportMark: (marked: Marked) => void;
  /** From 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** No attempt begins after this time. */
  readonly untilMs: number;
}
