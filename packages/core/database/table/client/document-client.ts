/**
 * The client by the AWS SDK's document client, for functions that serve no request (decision 0091): it follows what the
 * SDK learns, and each call costs more.
 */
import { DynamoDBClient, DynamoDBServiceException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactGetCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { CallName, Calls } from "./calls.ts";
import { checkWhole, type OpenClient, SKEW_MS } from "./client.ts";
import { DatabaseError, TransactionCancelled, UnreadableResponse } from "./errors.ts";
import { HttpTransport, type Transport } from "./transport.ts";
import { type Notation, numberOf, toStored } from "./values.ts";

type Send = (client: DynamoDBDocumentClient, input: never) => Promise<unknown>;

const calls: Readonly<Record<CallName, Send>> = {
  GetItem: (client, input) => client.send(new GetCommand(input)),
  BatchGetItem: (client, input) => client.send(new BatchGetCommand(input)),
  TransactGetItems: (client, input) => client.send(new TransactGetCommand(input)),
  Query: (client, input) => client.send(new QueryCommand(input)),
  PutItem: (client, input) => client.send(new PutCommand(input)),
  UpdateItem: (client, input) => client.send(new UpdateCommand(input)),
  DeleteItem: (client, input) => client.send(new DeleteCommand(input)),
  TransactWriteItems: (client, input) => client.send(new TransactWriteCommand(input)),
};

/** The SDK converts values itself. What cannot be stored is refused as the lean client refuses it. */
const plainNotation: Notation = {
  write(values) {
    toStored(values);
    return values as never;
  },
  read: (found) => found as never,
};

/** Opens the client of a container. */
export const openDocumentClient: OpenClient = ({ endpoint, region, credentials, ...options }, patience) => {
  const { transport = new HttpTransport(patience) } = options;
  const sdk = new DynamoDBClient({
    ...(endpoint && { endpoint }),
    ...(region && { region }),
    ...(credentials && { credentials }),
    requestHandler: handlerOver(transport),
    // Repeats and their pauses are those of dynamo.ts.
    maxAttempts: 1,
  });
  const client = DynamoDBDocumentClient.from(sdk, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: { wrapNumbers: numberOf },
  });
  let offsetMs = 0;
  /** Whether the SDK has corrected its clock since the last failure. It notes the fraction of a second, too. */
  const correctedClock = (): boolean => {
    const beforeMs = offsetMs;
    offsetMs = sdk.config.systemClockOffset;
    return Math.abs(offsetMs - beforeMs) >= SKEW_MS;
  };
  return {
    notation: plainNotation,
    async call<Name extends CallName>(name: Name, input: Calls[Name]["input"]) {
      try {
        return (await calls[name](client, input as never)) as Calls[Name]["output"];
      } catch (error) {
        throw failureOf(error, correctedClock());
      }
    },
  };
};

/** The HTTP of the lean client, with its limits of time, as the SDK calls it. */
const handlerOver = (transport: Transport) => ({
  metadata: { handlerProtocol: "http/1.1" },
  async handle({ protocol, hostname, port, path, headers, body }: HttpRequest) {
    const url = new URL(`${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}`);
    const answer = await transport.send({ url, headers, body });
    // The SDK takes an empty answer for one without an item.
    checkWhole(answer);
    return { response: { statusCode: answer.status, headers: answer.headers, body: answer.body } };
  },
  httpHandlerConfigs: () => ({}),
  updateHttpClientConfig: () => undefined,
});

/** The parts of a request of the SDK that the transport needs. */
interface HttpRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A failure as the lean client throws it. Those of the network stay as they are. */
function failureOf(error: unknown, isClockCorrected: boolean): unknown {
  const status = statusOf(error);
  if (error instanceof TransactionCanceledException) {
    const reasons = (error.CancellationReasons ?? []).map(({ Code, Message, Item }) => ({
      ...(Code && { Code }),
      ...(Message && { Message }),
      ...(Item && {
        Item: unmarshall(Item, { wrapNumbers: numberOf, convertWithoutMapWrapper: false }) as never,
      }),
    }));
    return new TransactionCancelled(error.message, reasons, status);
  }
  if (error instanceof SyntaxError) return new UnreadableResponse("the response is not JSON", status);
  if (!(error instanceof DynamoDBServiceException)) return error;
  return new DatabaseError(error.name, error.message, status, isClockCorrected);
}

/** The status of the response, which the SDK notes at each error; 0 where there was none. */
function statusOf(error: unknown): number {
  const { $metadata } = (error ?? {}) as { readonly $metadata?: { readonly httpStatusCode?: number } };
  return $metadata?.httpStatusCode ?? 0;
}
