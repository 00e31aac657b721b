import { routes } from '@fairlead/platform-client/contract'
import type { Draw } from '@fairlead/http1/testing/generated-messages'
import { data, firstHeaders, lastHeaders } from '@fairlead/gateway-grpc/testing/raw-http2'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE', 'PROPFIND']
const oddMethods = ['', 'get', 'A B', 'X'.repeat(200), 'PRI', 'GET\t']
const oddPaths = [
  '*',
  '',
  '/',
  '//',
  '/%',
  '/%00',
  '/../x',
  'x',
  'http://x/v1/organization/',
  '/?',
  '/#a',
  '?a=1',
]
const schemes = ['http', 'https', '', 'ftp', 'HTTP']
const authorities = [
  'x',
  '',
  'a:99999',
  'foo.999',
  '[::1]',
  '[::',
  'x@y',
  'x/y',
  '127.0.0.1:1',
  'x'.repeat(300),
]
const contentTypes = [
  'application/json',
  'application/grpc',
  'application/grpc+proto',
  'application/grpc-web',
  'application/grpc-web-text',
  'text/plain',
  'application/octet-stream',
  '',
]
const oddFields = [
  ['connection', 'close'],
  ['connection', 'Upgrade'],
  ['upgrade', 'websocket'],
  ['transfer-encoding', 'chunked'],
  ['te', 'gzip'],
  ['te', 'trailers'],
  ['content-length', '5'],
  ['content-length', 'x'],
  ['content-encoding', 'gzip'],
  ['expect', '100-continue'],
  ['expect', 'x'],
  ['host', 'a:99999'],
  ['host', 'y'],
  [':protocol', 'websocket'],
  [':status', '200'],
  [':unknown', '1'],
  ['Upper-Case', '1'],
  ['cookie', 'a=b; c'],
  ['origin', 'null'],
  ['access-control-request-method', 'POST'],
  ['access-control-request-headers', 'x-grpc-web'],
  ['authorization', 'Basic %%%'],
  ['authorization', 'Bearer x'],
  ['x-forwarded-for', '1.2.3.4, x'],
  ['range', 'bytes=0-1'],
  ['if-match', '"1"'],
  ['accept', 'text/event-stream'],
  ['sec-websocket-key', 'x'],
  ['grpc-timeout', '1n'],
  ['x-token', 'x'],
  ['user-agent', '\u00ff'],
] as const
const bodies = [
  '',
  '{}',
  '{',
  '[]',
  '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
  '\0\0\0\0\0',
  'A'.repeat(5_000),
]

/** Paths of every route: those of the platform API, and those of the given credential. */
export function everyPath(token: string): readonly string[] {
  const platform = Object.values<{ readonly path: string }>(routes).map(({ path }) =>
    path.replaceAll(/\{\w+\}/g, 'a'),
  )
  return [
    ...platform,
    '/',
    '/evm',
    `/${token}`,
    `/${token}/evm`,
    '/ws',
    `/ws/${token}`,
    '/ws/x/evm',
    `/beacon/${token}/eth/v1/node/health`,
    '/beacon/eth/v1/events?topics=head',
    '/beacon/x',
    `/${token}/api/v2/getConfigParam?config_id=15`,
    '/api/v3/jetton/burns',
    `/${token}/api/v2/jsonRPC`,
    '/healthz',
    '/readyz',
    '/metrics',
    '/console',
    '/console/',
    '/console/assets/x',
    '/docs/',
    '/favicon.ico',
    '/a.B/C',
    '/grpc.health.v1.Health/Check',
  ]
}

/**
 * Creates the frames of one request. About half of them are well-formed.
 *
 * @param credentials - header fields; every other request has one of them
 */
export function generatedRequest(
  draw: Draw,
  paths: readonly string[],
  credentials: readonly (readonly [string, string])[],
  streamId: number,
): Buffer {
  const pick = <value>(items: readonly value[]) => items[draw(items.length)] as value
  const isOdd = draw(2) === 0
  const pickFields = (normal: readonly string[], unusual: readonly string[]) =>
    isOdd && draw(3) === 0 ? pick(unusual) : pick(normal)
  let pseudo = [
    [':method', pickFields(methods, oddMethods)],
    [':path', pickFields(paths, oddPaths)],
    [':scheme', pickFields(['http'], schemes)],
    [':authority', pickFields(['x'], authorities)],
  ] as (readonly [string, string])[]
  if (isOdd && draw(3) === 0) pseudo = pseudo.filter(() => draw(4) > 0)
  if (isOdd && draw(5) === 0) pseudo.push(pick(pseudo.length > 0 ? pseudo : ([[':path', '/']] as const)))
  const fields: (readonly [string, string])[] = []
  if (draw(2) === 0) fields.push(['content-type', pick(contentTypes)])
  if (draw(5) === 0) fields.push(['te', 'trailers'])
  if (draw(2) === 0) fields.push(pick(credentials))
  for (let count = isOdd ? draw(4) : 0; count > 0; count--) fields.push(pick(oddFields))
  const ordered = isOdd && draw(10) === 0 ? [...fields, ...pseudo] : [...pseudo, ...fields]
  const body = draw(3) === 0 ? pick(bodies) : ''
  if (body === '') return lastHeaders(streamId, ordered)
  return Buffer.concat([firstHeaders(streamId, ordered), data(streamId, Buffer.from(body), draw(8) > 0)])
}
