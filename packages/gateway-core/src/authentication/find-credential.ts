import type { IncomingHttpHeaders } from 'node:http'
import type { Grant } from '../grants/grant.ts'
import type { Directory } from './directory.ts'

/** Why authentication failed; the text is shown to the caller. */
export interface AuthenticationFailure {
  readonly reason: string
  /** Whether the request contained a credential, which may be a guess. */
  readonly isFailedAttempt: boolean
}

/**
 * Finds the grant for a request's credential: the token in the path, or else HTTP basic authentication.
 *
 * @param directory - credentials in memory
 * @param path - the matched path, with the token when there is one
 * @param headers - `authorization` and `host` are read
 * @param nodeDomain - domain below which each node has its own host name
 */
export function findCredential(
  directory: Directory,
  path: { readonly token?: string | undefined },
  headers: IncomingHttpHeaders,
  nodeDomain: string | undefined,
): Grant | AuthenticationFailure {
  const grant = path.token === undefined ? basicGrant(directory, headers) : tokenGrant(directory, path.token)
  return 'reason' in grant ? grant : matchHost(grant, headers.host, nodeDomain)
}

/**
 * Finds the grant for the x-token of a gRPC call.
 *
 * @param directory - credentials in memory
 * @param xToken - value of the metadata `x-token`
 * @param host - `:authority` of the call
 * @param nodeDomain - domain below which each node has its own host name
 */
export function findXToken(
  directory: Directory,
  xToken: string | undefined,
  host: string | undefined,
  nodeDomain: string | undefined,
): Grant | AuthenticationFailure {
  if (xToken === undefined || xToken === '')
    return absent('Missing credential: send it as the metadata entry x-token.')
  const grant = directory.find('x-token', xToken)
  return grant ? matchHost(grant, host, nodeDomain) : failure('Unknown x-token.')
}

function matchHost(
  grant: Grant,
  hostHeader: string | undefined,
  nodeDomain: string | undefined,
): Grant | AuthenticationFailure {
  if (nodeDomain === undefined) return grant
  const host = hostName(hostHeader ?? '')
  const domain = hostName(nodeDomain)
  if (host.endsWith(`.${domain}`) && host !== `${grant.nodeId.toLowerCase()}.${domain}`) {
    return failure('The credential belongs to another node.')
  }
  return grant
}

// Host names are case-insensitive and may end with a dot.
function hostName(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
}

function tokenGrant(directory: Directory, token: string): Grant | AuthenticationFailure {
  return directory.find('token', token) ?? failure('Unknown token.')
}

function basicGrant(directory: Directory, headers: IncomingHttpHeaders): Grant | AuthenticationFailure {
  const { authorization } = headers
  if (authorization === undefined) {
    return headers['x-api-key'] === undefined
      ? absent('Put a token in the path or use HTTP basic authentication.')
      : absent('Nodes do not read x-api-key: put the token in the path, or use HTTP basic authentication.')
  }
  const [scheme = '', value = ''] = authorization.trim().split(/ +/)
  switch (scheme.toLowerCase()) {
    case 'basic':
      return (
        directory.find('basic', Buffer.from(value, 'base64').toString('utf8')) ??
        failure('Unknown user name or password. Put a token in the path of the URL instead.')
      )
    case 'bearer':
      return absent(
        'Nodes do not accept bearer tokens: put a token in the path or use HTTP basic authentication.',
      )
    default:
      return absent('Nodes accept HTTP basic authentication or a token in the path.')
  }
}

function absent(reason: string): AuthenticationFailure {
  return { reason, isFailedAttempt: false }
}

function failure(reason: string): AuthenticationFailure {
  return { reason, isFailedAttempt: true }
}
