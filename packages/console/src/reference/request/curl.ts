import type { GrpcOperation } from '../documents/operation.ts'
import { type Request, tokenPlace } from './request.ts'

/**
 * Writes a request as a command of a shell; the secret stands there as `$TOKEN`.
 *
 * @param request - what to send
 * @param origin - scheme, host and port of the service
 */
export function curlOf(request: Request, origin: string): string {
  const { method, target, headers, body, access } = request
  const usual = body === undefined ? 'GET' : 'POST'
  const lines = [
    `curl ${method === usual ? '' : `-X ${method} `}${address(origin + target)}`,
    ...(access === 'platform' ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ]
  return lines.join(' \\\n  ')
}

/** Writes a call of gRPC as a command of a shell; the service answers reflection, so it needs no proto file. */
export function grpcurlOf({ path }: GrpcOperation, message: unknown, origin: string): string {
  const { protocol, hostname, port } = new URL(origin)
  const isPlain = protocol === 'http:'
  return [
    `grpcurl${isPlain ? ' -plaintext' : ''} -H "x-token: $TOKEN"`,
    `-d ${quoted(JSON.stringify(message))}`,
    `${hostname}:${port || (isPlain ? '80' : '443')} ${path}`,
  ].join(' \\\n  ')
}

function address(url: string): string {
  if (!url.includes(tokenPlace)) return quoted(url)
  // In double quotes the shell puts the token in; all else that it would read there is escaped in a URL.
  return `"${url.replace(tokenPlace, '$TOKEN')}"`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
