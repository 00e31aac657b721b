import { type IncomingHttpHeaders, request as sendRequest, type Agent } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { type ContractSchemas, ContractRules } from '@fairlead/gateway-core/rest/parameter-validation'
import { sendRaw } from '@fairlead/http1/testing/raw-http'
import type { JsonSchema, Route } from '@fairlead/core'

/** The generated contract of an OpenAPI document. */
export interface Contract extends ContractSchemas {
  readonly routes: Readonly<Record<string, Route>>
}

/** A response of the gateway. */
export interface ReceivedResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A request for an operation. */
export interface OperationRequest {
  /** The distinguishing property of the request. */
  readonly label: string
  readonly method: string
  /** Path and query below the URL of the node. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A value for each path parameter that is valid for every operation. */
const pathValues: Readonly<Record<string, string>> = {
  block_id: 'head',
  block_root: `0x${'0a'.repeat(32)}`,
  peer_id: '16Uiu2HAmHfT3vGz4uNQWkJTbLNAUJLcGwJuWmBhjvZUvSXbTq5oM',
  state_id: 'head',
  validator_id: '1',
}

/** Headers of a request with a JSON body, among them those that some operations require. */
const json = { 'content-type': 'application/json', 'eth-consensus-version': 'fulu' }

/** Returns valid and invalid requests for an operation of a node, without those of other credentials. */
export function requestsFor({
  method,
  path,
  pathParameters,
  query,
  headers = {},
}: Route): OperationRequest[] {
  const pathWith = (value?: string) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => value ?? pathValues[name] ?? '1')
  const target = pathWith()
  const valid = method === 'GET' ? {} : { body: '{}' }
  const plain = { method, target, headers: method === 'GET' ? {} : json, ...valid }
  const withHeaders = (label: string, changed: Readonly<Record<string, string>>) => ({
    ...plain,
    label,
    headers: { ...plain.headers, ...changed },
  })
  return [
    { ...plain, label: 'no parameters' },
    ...(Object.keys(pathParameters).length === 0 ? [] : ['~', '%2e%2e', '%00', 'x'.repeat(300)]).map(
      (value) => ({ ...plain, label: `path ${value.slice(0, 10)}`, target: pathWith(value) }),
    ),
    ...Object.keys(query).flatMap((name) =>
      [`${name}=~`, `${name}=`, `${name}=1&${name}=1`, Array(200).fill(`${name}=1`).join('&')].map(
        (text) => ({
          ...plain,
          label: `query ${text.slice(0, 40)}`,
          target: `${target}?${text}`,
        }),
      ),
    ),
    ...Object.keys(headers).map((name) => withHeaders(`header ${name}`, { [name.toLowerCase()]: '~' })),
    withHeaders('an unsupported media type of the response', { accept: 'image/png' }),
    ...(method === 'GET' ? [] : bodiesFor(plain)),
  ]
}

function bodiesFor(plain: Omit<OperationRequest, 'label'>): OperationRequest[] {
  const { body: _, ...bodiless } = plain
  const encoded = (encoding: string) => ({ ...plain.headers, 'content-encoding': encoding })
  const unversioned = { 'content-type': 'application/json' }
  return [
    { ...bodiless, label: 'no body' },
    { ...plain, label: 'no header but the type', headers: unversioned },
    ...['{', '[]', '0', '[{}]', '\u0000'].map((body) => ({ ...plain, label: `body ${body}`, body })),
    { ...plain, label: 'a text', headers: { ...plain.headers, 'content-type': 'text/plain' } },
    { ...plain, label: 'SSZ', headers: { ...plain.headers, 'content-type': 'application/octet-stream' } },
    { ...plain, label: 'an unsupported encoding', headers: encoded('br') },
    { ...plain, label: 'an invalid encoding', headers: encoded('gzip') },
    { ...plain, label: 'a long body', headers: { ...plain.headers, 'content-length': '99999999999' } },
  ]
}

/** Sends a request unchanged. */
export function send(
  agent: Agent,
  url: string,
  { method, target, headers, body }: OperationRequest,
): Promise<ReceivedResponse> {
  const { hostname, port, pathname } = new URL(url)
  return new Promise((resolve, reject) => {
    const options = { agent, hostname, port, method, path: `${pathname}${target}`, headers }
    const request = sendRequest(options, (response) => {
      const { statusCode: status = 0, headers: received } = response
      readText(response).then((text) => resolve({ status, headers: received, text }), reject)
    })
    request.on('error', reject).end(body)
  })
}

/** Sends a request whose request line is longer than the gateway accepts. */
export async function sendTooLong(url: string, { method, path }: Route): Promise<ReceivedResponse> {
  const { port, pathname } = new URL(url)
  const target = `${pathname.replace(/\/$/, '')}${path}?a=${'x'.repeat(20_000)}`
  return parse(await sendRaw(Number(port), `${method} ${target} HTTP/1.1\r\nhost: x\r\n\r\n`))
}

/** Parses the only response on a connection. */
export function parse({ text }: { readonly text: string }): ReceivedResponse {
  const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s, 2)
  const [line = '', ...fields] = head.split('\r\n')
  const headers = Object.fromEntries(fields.map((field) => field.toLowerCase().split(': ', 2)))
  // Without the lengths of chunks.
  const [object = ''] = /\{.*\}/s.exec(body) ?? []
  return { status: Number(line.split(' ')[1]), headers: headers as IncomingHttpHeaders, text: object }
}

/** Compares responses with the declarations of a contract. */
export class Declarations {
  readonly #rules: ContractRules

  constructor(contract: Contract) {
    this.#rules = new ContractRules(contract, { verb: 'must' })
  }

  /** Returns how a response differs from the declaration of its operation; undefined if it does not. */
  violationOf(route: Route, { status, headers, text }: ReceivedResponse): string | undefined {
    const declared = route.responses[String(status)]
    if (declared === undefined) return `${status} is not declared: ${text}`
    if (status < 400) return undefined
    const missing = declared.headers?.filter((name) => headers[name.toLowerCase()] === undefined) ?? []
    if (missing.length > 0) return `${status} without ${missing.join(', ')}`
    return this.violationOfSchema(declared.schema, text)
  }

  /** Returns the rule that the text of a JSON body violates; undefined if it is valid. */
  violationOfSchema(schema: JsonSchema | undefined, text: string): string | undefined {
    if (schema === undefined) return text === '' ? undefined : `has a body: ${text}`
    if (text === '') return 'has no body'
    const reading = this.#rules.ofJson({ schema, required: true }, JSON.parse(text))
    return 'rule' in reading ? `body${reading.path} ${reading.rule}: ${text}` : undefined
  }
}
