import * as oidc from 'openid-client'
import type { Encryptor } from '@fairlead/gateway-core/credentials/encryption'
import { guardedFetch } from '@fairlead/gateway-core/network/guarded-fetch'
import { operatorRules } from '@fairlead/gateway-core/network/guarded-connect'

/** The OpenID Connect provider that users may sign in through. */
export interface OidcOptions {
  /** Issuer URL of the provider, as in its tokens; https unless `isHttpAllowed` is set. */
  readonly issuer: string
  /** Accepts an http issuer; for a provider on the same machine only, as http does not authenticate its keys. */
  readonly isHttpAllowed?: boolean | undefined
  readonly clientId: string
  readonly clientSecret?: string | undefined
  /** Display name of the provider in the console. */
  readonly name: string
}

/** Sign-in through an OpenID Connect provider. */
export interface OidcSignIn {
  readonly name: string
  /**
   * Starts a sign-in.
   *
   * @param redirectUri - where the provider redirects the browser afterwards
   * @param maxAge - requires a new authentication at the provider, which `finish` accepts for this number of seconds;
   *   undefined if a single sign-on is enough
   * @returns the URL to redirect the browser to, and the state to store in a cookie
   */
  begin(redirectUri: string, maxAge?: number): Promise<{ readonly url: string; readonly state: string }>
  /**
   * Completes a sign-in.
   *
   * @param returned - the URL that the provider redirected the browser to, including its query parameters
   * @param state - the value of the cookie
   * @returns the user; undefined when the provider has not verified an e-mail address, or the response does not belong
   *   to this sign-in
   */
  finish(returned: URL, state: string): Promise<OidcUser | undefined>
}

/** A user whom the provider identified. */
export interface OidcUser {
  /** Verified e-mail address. */
  readonly email: string
  /** Seconds since the user authenticated at the provider; undefined when the provider does not report them. */
  readonly authenticationAge: number | undefined
}

/** Maximum duration of a sign-in at the provider, in seconds. */
export const maxSignInSeconds = 600

interface SignInState {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly endsAt: number
  readonly maxAge?: number | undefined
}

const providerTimeoutSeconds = 10
const encryptionContext = 'oidc sign-in'

/**
 * Creates the sign-in through a provider: authorization code with PKCE (RFC 7636), state and nonce. The state of a
 * sign-in is stored in the browser, encrypted, so that any replica can complete a sign-in that another one started. An
 * ID token must be signed with one of the provider's public keys.
 *
 * @see OpenID Connect Core 1.0, section 3.1
 */
export function createOidcSignIn(options: OidcOptions, encryptor: Encryptor): OidcSignIn {
  const { issuer, isHttpAllowed = false, clientId, clientSecret, name } = options
  let discovery: Promise<oidc.Configuration> | undefined
  // Discovery runs at first use, so that the gateway starts even when the provider is unavailable.
  const provider = (): Promise<oidc.Configuration> => {
    discovery ??= oidc
      .discovery(new URL(issuer), clientId, clientSecret, undefined, {
        timeout: providerTimeoutSeconds,
        // The operator configures the provider, and the provider its endpoints; neither may point to a cloud metadata
        // service.
        [oidc.customFetch]: guardedFetch(operatorRules),
        // OpenID Connect allows clients to skip the signature check of an ID token that the provider sends over TLS.
        // Without it, any party that can change this response, such as a TLS proxy, can sign in as any member.
        execute: [oidc.enableNonRepudiationChecks, ...(isHttpAllowed ? [oidc.allowInsecureRequests] : [])],
      })
      .catch((error: unknown) => {
        discovery = undefined
        throw error
      })
    return discovery
  }
  return {
    name,
    async begin(redirectUri, maxAge) {
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
        // Providers have to report the time of the authentication only when max_age is sent.
        ...(maxAge !== undefined && { prompt: 'login', max_age: String(maxAge) }),
      })
      const endsAt = Date.now() + maxSignInSeconds * 1_000
      const stored: SignInState = { state, nonce, verifier, endsAt, maxAge }
      return { url: url.href, state: encryptor.encrypt(JSON.stringify(stored), encryptionContext) }
    },
    async finish(returned, encryptedState) {
      const stored = decryptState(encryptor, encryptedState)
      if (stored === undefined) return undefined
      const configuration = await provider()
      const tokens = await oidc.authorizationCodeGrant(configuration, returned, {
        pkceCodeVerifier: stored.verifier,
        expectedState: stored.state,
        expectedNonce: stored.nonce,
        idTokenExpected: true,
        ...(stored.maxAge !== undefined && { maxAge: stored.maxAge }),
      })
      const claims = tokens.claims()
      if (claims === undefined) return undefined
      // Not every provider includes the e-mail address in the ID token.
      const about =
        claims['email'] === undefined
          ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : claims
      const { email, email_verified: isVerified } = about
      if (typeof email !== 'string' || isVerified !== true) return undefined
      const { auth_time: time } = claims
      const authenticationAge = time === undefined ? undefined : Math.max(0, Date.now() / 1_000 - time)
      return { email: email.toLowerCase(), authenticationAge }
    },
  }
}

function decryptState(encryptor: Encryptor, encryptedState: string): SignInState | undefined {
  try {
    const state = JSON.parse(encryptor.decrypt(encryptedState, encryptionContext)) as SignInState
    return state.endsAt > Date.now() ? state : undefined
  } catch {
    return undefined
  }
}
