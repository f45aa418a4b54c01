/** The log and the metrics of deliveries: one line for each subscriber to which a run delivered or failed. */
import { newLogger, newMeasures } from "./lines.ts";
import { loggedErrorOf } from "./observe.ts";

/** One run of deliveries to one subscriber. It contains no secret, nothing of a message and no address. */
interface DeliveryLine {
  readonly tenant: string;
  readonly subscriber: string;
  readonly kind: string;
  readonly delivered: number;
  readonly failure?: string;
  readonly refusals: readonly string[];
  readonly isPaused: boolean;
  readonly lagMs: number;
  readonly defect?: unknown;
}

/** What the clients of an application were told of sessions that have ended. */
interface ToldLine {
  readonly tenant: string;
  readonly application: string;
  readonly told: number;
  readonly failure?: string;
  readonly isGivenUp?: true;
  readonly lagMs: number;
  readonly defect?: unknown;
}

/** What became of a mail. It contains no name and no address. */
interface MailedLine {
  readonly tenant: string;
  readonly kind: string;
  readonly sent: number;
  readonly failure?: string;
  readonly isGivenUp?: true;
  readonly lagMs: number;
  readonly defect?: unknown;
}

/** An address to which no more mails go. It contains no address. */
interface MarkedLine {
  readonly tenant: string;
  readonly mark: "bounced" | "complained";
}

/** The reporter of a container. */
export function newDeliveryReport(service: string) {
  const logger = newLogger(service);
  const { count, milliseconds, publish } = newMeasures(service);
  return {
    run({ defect, refusals, delivered, isPaused, failure, lagMs, ...subscriber }: DeliveryLine): void {
      count("EventsDelivered", delivered);
      count("DeliveryFailures", failure === undefined ? 0 : 1);
      count("ReceiversPaused", isPaused ? 1 : 0);
      count("DeliveryDefects", defect === undefined ? 0 : 1);
      milliseconds("DeliveryLag", lagMs);
      publish();
      if (isPaused) logger.error("receiver paused", { ...subscriber, failure });
      else if (failure !== undefined) logger.warn("delivery failed", { ...subscriber, failure });
      if (refusals.length > 0) logger.warn("messages refused", { ...subscriber, refusals: refusals.slice(0, 10) });
      if (defect !== undefined) logger.error("delivery defect", { ...subscriber, cause: loggedErrorOf(defect) });
    },
    told({ defect, told, failure, isGivenUp, lagMs, ...application }: ToldLine): void {
      count("EventsDelivered", told);
      count("DeliveryFailures", failure === undefined ? 0 : 1);
      count("DeliveryDefects", defect === undefined ? 0 : 1);
      milliseconds("DeliveryLag", lagMs);
      publish();
      if (isGivenUp) logger.error("client not told of a logout", { ...application, failure });
      else if (failure !== undefined) logger.warn("telling a client of a logout failed", { ...application, failure });
      if (defect !== undefined) logger.error("delivery defect", { ...application, cause: loggedErrorOf(defect) });
    },
    mailed({ defect, sent, failure, isGivenUp, lagMs, ...mail }: MailedLine): void {
      count("EventsDelivered", sent);
      count("DeliveryFailures", failure === undefined ? 0 : 1);
      milliseconds("DeliveryLag", lagMs);
      publish();
      const cause = defect === undefined ? {} : { cause: loggedErrorOf(defect) };
      if (isGivenUp) logger.error("mail not sent", { ...mail, failure, ...cause });
      else if (failure !== undefined) logger.warn("sending a mail failed", { ...mail, failure, ...cause });
    },
    marked(line: MarkedLine): void {
      count("MailsBounced", line.mark === "bounced" ? 1 : 0);
      count("MailsComplained", line.mark === "complained" ? 1 : 0);
      publish();
      logger.warn("address marked", { ...line });
    },
    /** A run failed as a whole, or for one tenant. */
    defect(cause: unknown): void {
      count("DeliveryDefects", 1);
      publish();
      logger.error("delivery defect", { cause: loggedErrorOf(cause) });
    },
  };
}
