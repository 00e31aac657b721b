import type { IncomingHttpHeaders } from 'node:http'
import type { NodeGrant } from '../../credentials/node-grant.ts'
import type { NodePath } from '../listen/node-path.ts'
import type { Directory } from './directory.ts'

/** Why a request may not pass; the text is shown to the caller. */
export interface Refusal {
  readonly reason: string
}

/**
 * Finds the node that a request's credential opens: the token in the path, else HTTP basic authentication.
 *
 * @param directory - credentials in memory
 * @param path - the matched path, with the token when there is one
 * @param headers - `authorization` and `host` are read
 * @param nodeDomain - domain below which each node has a host of its own
 */
export function authenticate(
  directory: Directory,
  path: NodePath,
  headers: IncomingHttpHeaders,
  nodeDomain: string | undefined,
): NodeGrant | Refusal {
  const grant =
    path.token === undefined
      ? basicGrant(directory, headers.authorization)
      : tokenGrant(directory, path.token)
  if ('reason' in grant || nodeDomain === undefined) return grant
  const host = hostName(headers.host ?? '')
  const domain = hostName(nodeDomain)
  if (host.endsWith(`.${domain}`) && host !== `${grant.nodeId.toLowerCase()}.${domain}`) {
    return { reason: 'The credential belongs to another node.' }
  }
  return grant
}

// Host names have no case, and a dot at the end changes nothing about where they lead.
function hostName(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
}

function tokenGrant(directory: Directory, token: string): NodeGrant | Refusal {
  return directory.find('token', token) ?? { reason: 'Unknown token.' }
}

function basicGrant(directory: Directory, authorization: string | undefined): NodeGrant | Refusal {
  if (authorization === undefined) {
    return { reason: 'Put a token in the path or use HTTP basic authentication.' }
  }
  const [scheme = '', value = ''] = authorization.trim().split(/ +/)
  switch (scheme.toLowerCase()) {
    case 'basic':
      return (
        directory.find('basic', Buffer.from(value, 'base64').toString('utf8')) ?? {
          reason: 'Unknown user name or password.',
        }
      )
    case 'bearer':
      return {
        reason:
          'Nodes do not accept bearer tokens: put a token in the path or use HTTP basic authentication.',
      }
    default:
      return { reason: 'Nodes accept HTTP basic authentication or a token in the path.' }
  }
}
