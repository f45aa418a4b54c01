/** Where DynamoDB is and with which keys it is called: at once in a function, as the AWS SDK finds it elsewhere. */
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type AccessOptions, type Environment, findAccess } from "#core/database/table/client/access.ts";

const loaded = vi.hoisted(() => ({ sdk: 0 }));
vi.mock("#core/database/table/client/sdk-access.ts", async (original) => {
  const { accessOfSdk } = await original<typeof import("#core/database/table/client/sdk-access.ts")>();
  return {
    accessOfSdk: (options: AccessOptions) => {
      loaded.sdk += 1;
      return accessOfSdk(options);
    },
  };
});

const inLambda = {
  AWS_LAMBDA_FUNCTION_NAME: "scim2",
  AWS_REGION: "eu-central-1",
  AWS_ACCESS_KEY_ID: "id",
  AWS_SECRET_ACCESS_KEY: "secret",
  AWS_SESSION_TOKEN: "token",
} satisfies Environment;
const FILES = { AWS_CONFIG_FILE: "/nonexistent", AWS_SHARED_CREDENTIALS_FILE: "/nonexistent" };

/** Variables as the process would have them: the SDK reads those. */
const given = (environment: Environment): Environment => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return environment;
};
beforeEach(() => {
  loaded.sdk = 0;
  for (const name of Object.keys(process.env)) if (name.startsWith("AWS_")) vi.stubEnv(name, undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The origin that the SDK sends a call to. */
const originOfSdk = async (region: string): Promise<string> => {
  let origin = "";
  const credentials = { accessKeyId: "id", secretAccessKey: "secret" };
  const requestHandler = {
    handle: async ({ protocol, hostname }: { protocol: string; hostname: string }) => {
      origin = `${protocol}//${hostname}`;
      throw new Error("not sent");
    },
  };
  const client = new DynamoDBClient({ region, credentials, maxAttempts: 1, requestHandler });
  await client.send(new GetItemCommand({ TableName: "table", Key: {} })).catch(() => undefined);
  return origin;
};

describe("in a function", () => {
  test("region, endpoint and keys are known without the SDK, and keys are read at each call", async () => {
    const environment: Record<string, string> = { ...inLambda };
    const access = await findAccess({}, environment);
    expect([access.region, access.url.href]).toEqual(["eu-central-1", "https://dynamodb.eu-central-1.amazonaws.com/"]);
    expect(access.credentials()).toEqual({ accessKeyId: "id", secretAccessKey: "secret", sessionToken: "token" });
    environment.AWS_SESSION_TOKEN = "renewed";
    expect(access.credentials()).toMatchObject({ sessionToken: "renewed" });
    expect(loaded.sdk).toBe(0);
  });

  test.each([
    "us-east-1",
    "us-west-2",
    "eu-central-2",
    "ap-southeast-7",
    "me-central-1",
    "il-central-1",
    "mx-central-1",
    "ca-west-1",
    "af-south-1",
    "sa-east-1",
    "us-gov-west-1",
    "cn-north-1",
    "us-iso-east-1",
    "us-isob-east-1",
    "eu-isoe-west-1",
    "eusc-de-east-1",
  ])("the endpoint of %s is that of the SDK", async (region) => {
    const access = await findAccess({}, given({ ...inLambda, ...FILES, AWS_REGION: region }));
    expect([access.url.origin, access.region]).toEqual([await originOfSdk(region), region]);
  });

  test.each<[string, Environment, string]>([
    ["a FIPS endpoint", { AWS_USE_FIPS_ENDPOINT: "true" }, "https://dynamodb-fips.eu-central-1.amazonaws.com/"],
    ["an endpoint of dual stack", { AWS_USE_DUALSTACK_ENDPOINT: "true" }, "https://dynamodb.eu-central-1.api.aws/"],
    ["a proxy of all services", { AWS_ENDPOINT_URL: "http://127.0.0.1:9/all" }, "http://127.0.0.1:9/all/"],
    ["a proxy of DynamoDB", { AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:9" }, "http://127.0.0.1:9/"],
    ["an account", { AWS_ACCOUNT_ID: "123456789012" }, "https://123456789012.ddb.eu-central-1.amazonaws.com/"],
  ])("variables for %s are those of the SDK", async (_, variables, expected) => {
    const access = await findAccess({}, given({ ...inLambda, ...FILES, ...variables }));
    expect([access.url.href, loaded.sdk]).toEqual([expected, 1]);
    expect(await access.credentials()).toMatchObject({ accessKeyId: "id", sessionToken: "token" });
  });
});

describe("elsewhere", () => {
  test("what is given is used, without the SDK", async () => {
    const credentials = { accessKeyId: "local", secretAccessKey: "local" };
    const access = await findAccess({ endpoint: "http://127.0.0.1:8000/db", region: "us-east-1", credentials }, {});
    expect([access.url.href, access.region, access.credentials(), loaded.sdk]).toEqual([
      "http://127.0.0.1:8000/db/",
      "us-east-1",
      credentials,
      0,
    ]);
  });

  test("keys come from the chain of the SDK, with their profile", async () => {
    given({ ...inLambda, ...FILES });
    const access = await findAccess({ endpoint: "http://127.0.0.1:8000", region: "us-east-1" }, {});
    expect(await access.credentials()).toMatchObject({ accessKeyId: "id", secretAccessKey: "secret" });
    expect(loaded.sdk).toBe(1);
    const profile = given({ ...inLambda, AWS_PROFILE: "of-another" });
    const options = { endpoint: "http://127.0.0.1:8000", region: "us-east-1" };
    await expect(findAccess(options, profile)).rejects.toThrow("Could not load credentials");
    expect(loaded.sdk).toBe(2);
  });

  test("without a region, it fails as the SDK does", async () => {
    given(FILES);
    await expect(findAccess({}, {})).rejects.toThrow("Region is missing");
  });
});
