/** A failed check. */
export interface Failure {
  /** HTTP method and path. */
  readonly operation: string
  readonly check: string
  readonly problem: string
  readonly status: number
  /** Method and URL. */
  readonly request: string
  /** The start of the request body. */
  readonly sent: string
  /** The start of the response body. */
  readonly body: string
}

/** A failed check that is not a defect. */
export interface Deviation {
  readonly reason: string
  /** Documents in `specs/families.json`. All if omitted. */
  readonly documents?: RegExp
  readonly checks: readonly string[]
  readonly statuses?: readonly number[]
  readonly operations?: RegExp
  /** Matches the message of schemathesis. */
  readonly problem?: RegExp
  /** Matches the response body. */
  readonly body?: RegExp
}

export const deviations: readonly Deviation[] = [
  {
    reason:
      'the request line and the headers are too long for HTTP, before an operation is known (RFC 6585, 5)',
    checks: ['status_code_conformance', 'positive_data_acceptance', 'negative_data_rejection'],
    statuses: [431],
    body: /may hold at most 16 KiB/,
  },
  {
    reason: 'header fields that an operation does not describe have no effect (RFC 9110, 5.1)',
    checks: ['negative_data_rejection'],
    problem: /Invalid component: in header - object with unexpected properties/,
  },
  {
    reason: 'operations of TON that the embedded chain has no data for are answered 501',
    documents: /^jetton/,
    checks: ['not_a_server_error'],
    statuses: [501],
    body: /an embedded chain has no |is not indexed by this chain/,
  },
  {
    reason: 'the HTTP API of TON answers 500 about blocks, transactions and messages that its node refuses',
    documents: /^jetton/,
    checks: ['not_a_server_error'],
    statuses: [500],
    body: /LITE_SERVER_UNKNOWN: (cannot find block|cannot apply external message|cannot compute block|ltdb: )/,
  },
  {
    reason: 'the HTTP API of TON answers 542 about stack entries that it cannot convert',
    documents: /^jetton-v2$/,
    checks: ['not_a_server_error'],
    statuses: [542],
    operations: /runGetMethod/,
    body: /Unsupported stack entry type/,
  },
  {
    reason: 'the checksum and the workchain of an address, and bags of cells, are beyond a pattern',
    documents: /^jetton/,
    checks: ['positive_data_acceptance'],
    statuses: [422],
    body: /an address\b|failed to parse (address|source|destination|boc)|empty (boc|body)|must be bags of cells/,
  },
  {
    reason: 'which parameters exclude or need each other is said in words',
    documents: /^jetton/,
    checks: ['positive_data_acceptance'],
    statuses: [422],
    body: /should be (specified|used together)|exactly one of|\w+ is required/,
  },
  {
    reason:
      'the HTTP API of TON refuses members of a body that it does not know; the document leaves room for new ones',
    documents: /^jetton-v2$/,
    checks: ['positive_data_acceptance'],
    statuses: [422],
    operations: /^POST /,
    body: /unknown property/,
  },
  {
    reason: 'the message is well-formed, but no account accepts it',
    documents: /^jetton-v2$/,
    checks: ['positive_data_acceptance'],
    statuses: [400],
    operations: /sendBocReturnHashNoError/,
    body: /cannot apply external message/,
  },
  {
    reason:
      'types of TON are wider than what a node has: logical times and configuration parameters below zero',
    documents: /^jetton-v2$/,
    checks: ['positive_data_acceptance'],
    statuses: [422],
    body: /should be non-negative|failed to parse config_id/,
  },
  {
    reason:
      'the types of TON are wider than what a node reads: large numbers as text, empty texts, stack entries',
    documents: /^jetton/,
    checks: ['positive_data_acceptance'],
    statuses: [422],
    operations: /^POST /,
    body: /failed to parse (count|limit|archival|method|stack)/,
  },
  {
    reason: 'an operation code has 32 bits, which a pattern cannot say of decimal text',
    documents: /^jetton-v3$/,
    checks: ['positive_data_acceptance'],
    statuses: [422],
    operations: /decode/,
    body: /opcodes must be an operation code/,
  },
  {
    reason: 'the HTTP API of TON accepts JSON-RPC requests without a version',
    documents: /^jetton-v2$/,
    checks: ['negative_data_rejection'],
    statuses: [200],
    operations: /jsonRPC/,
    problem: /Missing required property: jsonrpc/,
  },
  {
    reason: 'operations of another fork, of a network of peers and of a builder are answered 501',
    documents: /^beacon$/,
    checks: ['not_a_server_error'],
    statuses: [501],
    body: /This chain runs Fulu|this node is none|has no external builder|no peer-to-peer network/,
  },
  {
    reason: 'a body has to fit the fork, the validators and the signatures of the chain',
    documents: /^beacon$/,
    checks: ['positive_data_acceptance'],
    statuses: [400],
    operations: /^POST /,
  },
  {
    reason: 'slots, epochs, indices and states have to be some of the chain',
    documents: /^beacon$/,
    checks: ['positive_data_acceptance'],
    statuses: [400],
    operations: /^GET /,
    body: /\b(slot|epoch|(\w+_)?index|RANDAO|state id|block id|syncing_status)\b/,
  },
  {
    reason: 'schemathesis writes a list that it found in a response into the path',
    documents: /^beacon$/,
    checks: ['positive_data_acceptance'],
    statuses: [400],
    body: /The path parameter \w+ must match/,
  },
  {
    reason:
      'a filter that breaks the document is refused with 400 everywhere, though beacon-APIs has no 400 for peers',
    documents: /^beacon$/,
    checks: ['status_code_conformance'],
    statuses: [400],
    operations: /^GET \/eth\/v1\/node\/peers$/,
    body: /The query parameter \w+ must /,
  },
  {
    reason: 'a list that cannot be read has no items to name, where the document describes 400 by its items',
    documents: /^beacon$/,
    checks: ['response_schema_conformance'],
    statuses: [400],
    operations: /^POST /,
    problem: /"failures" is a required property/,
  },
  {
    reason:
      'the embedded chain takes 0 for no list, numbers for decimal text, and lists that hold a value twice',
    documents: /^beacon$/,
    checks: ['negative_data_rejection'],
    statuses: [200],
    operations: /^POST .*(validator|rewards|prepare_beacon_proposer)/,
    problem: /uniqueItems|[Nn]on-unique items|[Ii]ncorrect type/,
  },
  {
    reason: 'the data of a server-sent event is text with the JSON value that the document describes',
    documents: /^beacon$/,
    checks: ['response_schema_conformance'],
    statuses: [200],
    operations: /\/events$/,
    problem: /^SSE event violates schema/,
  },
  {
    reason: 'an empty filter filters nothing, whatever the pattern of its value',
    documents: /^platform$/,
    checks: ['negative_data_rejection'],
    statuses: [200],
    operations: /^GET /,
    problem: /not matching the '.*' pattern/s,
  },
  {
    reason:
      'what a value means is checked beyond its form: times, URLs, origins, names, the fields of a chain',
    documents: /^platform$/,
    checks: ['positive_data_acceptance'],
    statuses: [400],
    body: /"fields":\{"[^"]+":\["(Must |Needs |There is no such |This field is required, as )/,
  },
]

/** Returns the listed deviation that explains a failed check, if any. */
export function deviationOf(document: string, failure: Failure): Deviation | undefined {
  return deviations.find(
    ({ documents, checks, statuses, operations, problem, body }) =>
      (documents?.test(document) ?? true) &&
      checks.includes(failure.check) &&
      (statuses?.includes(failure.status) ?? true) &&
      (operations?.test(failure.operation) ?? true) &&
      (problem?.test(failure.problem) ?? true) &&
      (body?.test(failure.body) ?? true),
  )
}
