/** A request to sign out, after its checks. */
export interface SignOutRequest {
  readonly tenant: string;
  /** Where the browser goes then: a registered address of the application. */
  readonly to?: {
    /** The client whose address it is; absent where the function of single sign-on has looked. */
    readonly clientId?: string;
    readonly redirectUri: string;
    readonly state?: string;
  };
}
