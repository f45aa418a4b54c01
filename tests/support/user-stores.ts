/** Deployments with several user stores, and requests with client certificates of their users. */
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { issueLeaf } from "#local/issue.ts";
import type { Shown } from "./scim.ts";
import type { World } from "./world.ts";

/** Two further stores in the table: SECOND and THIRD. */
export const TWO_STORES = `
[[user_store]]
domain = "second"
kind = "dynamodb"
[[user_store]]
domain = "THIRD"
kind = "dynamodb"
description = "A third one"
`;

/** Accepts client certificates of the development authority. */
export const CERTIFICATES = `
[intermediate_cert_validation]
enable = true
cert_cns = ["Identity Admin API development CA"]
`;

/** The response of `/scim2/Me` for a client certificate with this common name. */
export const meByCertificate = async (
  { service }: Pick<World, "service">,
  commonName: string,
): Promise<{ readonly status: number; readonly body: Shown }> => {
  const pemAt = (name: string) => readFileSync(join(service.certificates ?? "", name), "utf8");
  const ca = { certificate: pemAt("ca.pem"), key: pemAt("ca.key") };
  const client = await issueLeaf(ca, commonName, { kind: "client" });
  return new Promise((resolve, reject) => {
    const url = new URL("/scim2/Me", service.mtlsUrl);
    const options = { ca: ca.certificate, servername: "localhost", cert: client.certificate, key: client.key };
    request(url, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) }));
    })
      .on("error", reject)
      .end();
  });
};
