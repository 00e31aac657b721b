import type { GrpcOperation } from '../documents/operation.ts'
import { type Request, tokenPlaceholder } from './request.ts'

/**
 * Formats a request as a shell command; the secret is the variable `$TOKEN`.
 *
 * @param request - the request
 * @param origin - scheme, host and port of the gateway
 */
export function curlOf(request: Request, origin: string): string {
  const { method, target, headers, body, access } = request
  const defaultMethod = body === undefined ? 'GET' : 'POST'
  const lines = [
    `curl ${method === defaultMethod ? '' : `-X ${method} `}${address(origin + target)}`,
    ...(access === 'platform' ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ]
  return lines.join(' \\\n  ')
}

/** Formats a gRPC call as a shell command; the gateway supports reflection, so no proto file is needed. */
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
  if (!url.includes(tokenPlaceholder)) return quoted(url)
  // In double quotes the shell expands the token; all other special characters are escaped in a URL.
  return `"${url.replace(tokenPlaceholder, '$TOKEN')}"`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
