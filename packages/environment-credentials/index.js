/**
 * Credentials from the environment variables that Lambda sets. In place of the SDK's chain of providers (files, single
 * sign-on, processes, instance metadata), which no function needs and which is 130 KiB of every bundle (decision 0011).
 */
export const defaultProvider = () => async () => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw new Error("AWS credentials are needed in the environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.");
  }
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
};
