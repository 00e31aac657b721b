import * as oidc from 'openid-client'
import type { Encryptor } from '@fairlead/gateway-core/credentials/sealing'
import { guardedFetch } from '@fairlead/gateway-core/network/guarded-fetch'
import { operatorRules } from '@fairlead/gateway-core/network/guarded-connect'

/** The OpenID Connect provider that people may sign in through. */
export interface OidcOptions {
  /** Address of the provider, as its tokens name it. */
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret?: string | undefined
  /** What the console calls the provider. */
  readonly name: string
}

/** Sign-in through an OpenID Connect provider. */
export interface OidcSignIn {
  readonly name: string
  /**
   * Begins a sign-in.
   *
   * @param redirectUri - where the provider sends the browser afterwards
   * @returns where to send the browser now, and what it has to bring back in a cookie
   */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly state: string }>
  /**
   * Ends a sign-in.
   *
   * @param returned - the address that the provider sent the browser to, with its parameters
   * @param state - what the cookie held
   * @returns the e-mail address, if the provider vouches for one; undefined when this is not the answer to that sign-in
   */
  finish(returned: URL, state: string): Promise<string | undefined>
}

/** How long a sign-in at the provider may take, in seconds. */
export const longestSignInSeconds = 600

interface SignInState {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly endsAt: number
}

const providerTimeoutSeconds = 10
const sealedFor = 'oidc sign-in'

/**
 * Makes the sign-in through a provider: authorization code with PKCE (RFC 7636), state and nonce. What has to be remembered
 * goes to the browser, sealed, so that any replica can end what another one began.
 *
 * @see OpenID Connect Core 1.0, section 3.1
 */
export function createOidcSignIn(options: OidcOptions, encryptor: Encryptor): OidcSignIn {
  const { issuer, clientId, clientSecret, name } = options
  let known: Promise<oidc.Configuration> | undefined
  // Asked when it is first needed: the service starts without its provider.
  const provider = (): Promise<oidc.Configuration> => {
    known ??= oidc
      .discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: providerTimeoutSeconds,
        // The operator names the provider, and the provider its endpoints: neither may be a metadata service.
        [oidc.customFetch]: guardedFetch(operatorRules),
        ...(issuer.startsWith('http:') && { execute: [oidc.allowInsecureRequests] }),
      })
      .catch((error: unknown) => {
        known = undefined
        throw error
      })
    return known
  }
  return {
    name,
    async begin(redirectUri) {
      const configuration = await provider()
      const verifier = oidc.randomPKCECodeVerifier()
      const [state, nonce] = [oidc.randomState(), oidc.randomNonce()]
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email',
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      })
      const endsAt = Date.now() + longestSignInSeconds * 1_000
      const remembered: SignInState = { state, nonce, verifier, endsAt }
      return { url: url.href, state: encryptor.seal(JSON.stringify(remembered), sealedFor) }
    },
    async finish(returned, sealed) {
      const remembered = openState(encryptor, sealed)
      if (remembered === undefined) return undefined
      const configuration = await provider()
      const tokens = await oidc.authorizationCodeGrant(configuration, returned, {
        pkceCodeVerifier: remembered.verifier,
        expectedState: remembered.state,
        expectedNonce: remembered.nonce,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (claims === undefined) return undefined
      // Not every provider puts the address into the token.
      const about =
        claims['email'] === undefined
          ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims
      const { email, email_verified: isVerified } = about
      return typeof email === 'string' && isVerified === true ? email.toLowerCase() : undefined
    },
  }
}

function openState(encryptor: Encryptor, sealed: string): SignInState | undefined {
  try {
    const state = JSON.parse(encryptor.open(sealed, sealedFor)) as SignInState
    return state.endsAt > Date.now() ? state : undefined
  } catch {
    return undefined
  }
}
