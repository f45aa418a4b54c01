import type { AwsCredentialIdentityProvider } from "@aws-sdk/types";

export declare const defaultProvider: () => AwsCredentialIdentityProvider;
