import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'

/** Whom the provider of a test lets in next, and what it says about him. */
export interface ProviderAccount {
  readonly id: string
  readonly email: string
  readonly verified: boolean
}

/** A real OpenID Connect provider for tests, whose sign-in form fills itself in. */
export interface IdentityProvider {
  readonly issuer: string
  /** Who signs in from now on; undefined for somebody whom the provider refuses. */
  account: ProviderAccount | undefined
  /** Follows a browser from the beginning of a sign-in to where the provider sends it back to. */
  signIn(url: string): Promise<URL>
  close(): Promise<void>
}

/** The name and the secret of the service at the provider. */
export const oidcClient = { clientId: 'fairlead', clientSecret: 'c4n4ry-client-secret' }

/**
 * Starts a provider that sends browsers back to one address.
 *
 * @param redirectUri - gives that address, when the first request comes: a service under test may not have one before
 */
export async function identityProvider(redirectUri: () => string): Promise<IdentityProvider> {
  const server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const accounts = new Map<string, ProviderAccount>()
  let made: Provider | undefined
  const self: IdentityProvider = {
    issuer,
    account: undefined,
    async signIn(url) {
      const cookies = new Map<string, string>()
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
    made ??= createProvider(issuer, redirectUri(), accounts)
    if (request.url?.startsWith('/sign-in/') !== true) {
      void made.callback()(request, response)
      return
    }
    const { account } = self
    if (account !== undefined) accounts.set(account.id, account)
    const outcome = account ? { login: { accountId: account.id } } : { error: 'access_denied' }
    void made.interactionFinished(request, response, outcome)
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
