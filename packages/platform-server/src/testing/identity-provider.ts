import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** An account of the test provider. */
export interface ProviderAccount {
  readonly id: string
  readonly email: string
  readonly verified: boolean
  /** When the user entered the password, in seconds since 1970; now by default. */
  readonly authenticatedAt?: number
}

/** A real OpenID Connect provider for tests that submits its sign-in form automatically. */
export interface IdentityProvider {
  readonly issuer: string
  /** The account that signs in from now on; undefined for a user whom the provider rejects. */
  account: ProviderAccount | undefined
  /**
   * Follows a sign-in as a browser, from its start to the redirect back from the provider.
   *
   * @param cookies - of the browser; with those of an earlier sign-in, the provider identifies the user by them
   */
  signIn(url: string, cookies?: Map<string, string>): Promise<URL>
  close(): Promise<void>
}

/** The client id and secret of the gateway at the provider. */
export const oidcClient = { clientId: 'fairlead', clientSecret: 'c4n4ry-client-secret' }

/**
 * Starts a provider that redirects browsers back to one URL.
 *
 * @param redirectUri - returns that URL; called at the first request, because the gateway under test may have none
 *   before
 */
export async function identityProvider(redirectUri: () => string): Promise<IdentityProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const accounts = new Map<string, ProviderAccount>()
  let provider: Provider | undefined
  const self: IdentityProvider = {
    issuer,
    account: undefined,
    async signIn(url, cookies = new Map<string, string>()) {
      for (let next = url; ;) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
        await response.arrayBuffer()
        for (const set of response.headers.getSetCookie()) {
          const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
          cookies.set(name, value)
        }
        const location = response.headers.get('location')
        if (location === null) throw new Error(`The provider answered ${response.status}.`)
        next = new URL(location, next).href
        if (next.startsWith(redirectUri())) return new URL(next)
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  server.on('request', (request, response) => {
    provider ??= createProvider(issuer, redirectUri(), accounts)
    if (request.url?.startsWith('/sign-in/') !== true) {
      void provider.callback()(request, response)
      return
    }
    const { account } = self
    if (account !== undefined) accounts.set(account.id, account)
    const outcome = account
      ? {
          login: {
            accountId: account.id,
            ...(account.authenticatedAt !== undefined && { ts: account.authenticatedAt }),
          },
        }
      : { error: 'access_denied' }
    void provider.interactionFinished(request, response, outcome)
  })
  return self
}

function createProvider(
  issuer: string,
  redirectUri: string,
  accounts: ReadonlyMap<string, ProviderAccount>,
): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: oidcClient.clientId,
        client_secret: oidcClient.clientSecret,
        redirect_uris: [redirectUri],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    cookies: { keys: ['test'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/sign-in/${uid}` },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => {
        const { email, verified } = accounts.get(id) ?? { email: '', verified: false }
        return { sub: id, email, email_verified: verified }
      },
    }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId,
        accountId: oidc.session?.accountId,
      })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
  })
}
