/** Which rows of the table's stream are new change records. The stream has their keys alone. */
import { isChangeId, laneOfChange } from "../../database/changes/change-id.ts";
import { keys } from "../../database/table/keys.ts";

/** A batch of the stream, as Lambda passes it on: what is used of it. */
export interface StreamEvent {
  readonly Records: readonly StreamedRow[];
}

interface StreamedRow {
  readonly eventName?: string | undefined;
  readonly dynamodb?:
    | {
        readonly SequenceNumber?: string | undefined;
        readonly Keys?: Readonly<Record<string, { readonly S?: string | undefined }>> | undefined;
      }
    | undefined;
}

/** A new change record, and its place in the stream. */
export interface NewRecord {
  readonly tenant: string;
  /** The id of the change. */
  readonly id: string;
  readonly sequence: string;
}

const TENANT = /^T#([^#]+)#/;

/** The new records of a batch, in its order. */
export function newRecordsIn({ Records }: StreamEvent): NewRecord[] {
  return Records.flatMap(({ eventName, dynamodb }) => {
    const { SequenceNumber: sequence, Keys } = dynamodb ?? {};
    const [PK, id] = [Keys?.PK?.S, Keys?.SK?.S];
    if (eventName !== "INSERT" || sequence === undefined || PK === undefined || id === undefined) return [];
    const tenant = TENANT.exec(PK)?.[1];
    if (tenant === undefined || !isChangeId(id)) return [];
    // A key with a value of a caller may end like that of a lane.
    return keys.changeRecord(tenant, laneOfChange(id), id).PK === PK ? [{ tenant, id, sequence }] : [];
  });
}
