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
    reason: 'the request line and the headers of a valid request can be too long for HTTP (RFC 6585, 5)',
    checks: ['positive_data_acceptance'],
    statuses: [431],
    body: /must have at most 16 KiB/,
  },
  {
    reason: 'header fields that an operation does not describe have no effect (RFC 9110, 5.1)',
    checks: ['negative_data_rejection'],
    problem: /Invalid component: in header - object with unexpected properties/,
  },
  {
    reason: 'TON operations without data in the embedded chain return 501',
    documents: /^jetton/,
    checks: ['not_a_server_error'],
    statuses: [501],
    body: /an embedded chain has no |is not indexed by this chain/,
  },
  {
    reason: 'the HTTP API of TON returns 500 for blocks, transactions and messages that its node rejects',
    documents: /^jetton/,
    checks: ['not_a_server_error'],
    statuses: [500],
    body: /LITE_SERVER_UNKNOWN: (cannot find block|cannot apply external message|cannot compute block|ltdb: )/,
  },
  {
    reason: 'the HTTP API of TON returns 542 for stack entries that it cannot convert',
    documents: /^jetton-v2$/,
    checks: ['not_a_server_error'],
    statuses: [542],
    operations: /runGetMethod/,
    body: /Unsupported stack entry type/,
  },
  {
    reason: 'a pattern cannot describe the checksum and the workchain of an address, or a bag of cells',
    documents: /^jetton/,
    checks: ['positive_data_acceptance'],
    statuses: [422],
    body: /an address\b|failed to parse (address|source|destination|boc)|empty (boc|body)|must be bags of cells/,
  },
  {
    reason: 'the description states which parameters exclude or require each other',
    documents: /^jetton/,
    checks: ['positive_data_acceptance'],
    statuses: [422],
    body: /should be (specified|used together)|exactly one of|\w+ is required/,
  },
  {
    reason: 'the HTTP API of TON rejects unknown members of a body; the document allows new ones',
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
    reason: 'the TON types allow more than a node has: negative logical times and configuration parameters',
    documents: /^jetton-v2$/,
    checks: ['positive_data_acceptance'],
    statuses: [422],
    body: /should be non-negative|failed to parse config_id/,
  },
  {
    reason:
      'the TON types allow more than a node accepts: large numbers as text, empty strings, stack entries',
    documents: /^jetton/,
    checks: ['positive_data_acceptance'],
    statuses: [422],
    operations: /^POST /,
    body: /failed to parse (count|limit|archival|method|stack)/,
  },
  {
    reason: 'an operation code has 32 bits, which a pattern cannot express for decimal text',
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
    reason: 'operations of another fork, a peer-to-peer network or a builder return 501',
    documents: /^beacon$/,
    checks: ['not_a_server_error'],
    statuses: [501],
    body: /This chain runs Fulu|which this node is not|has no external builder|not part of a peer-to-peer network/,
  },
  {
    reason: 'a body must match the fork, the validators and the signatures of the chain',
    documents: /^beacon$/,
    checks: ['positive_data_acceptance'],
    statuses: [400],
    operations: /^POST /,
  },
  {
    reason: 'slots, epochs, indices and states must exist on the chain',
    documents: /^beacon$/,
    checks: ['positive_data_acceptance'],
    statuses: [400],
    operations: /^GET /,
    body: /\b(slot|epoch|(\w+_)?index|RANDAO|state id|block id|syncing_status)\b/,
  },
  {
    reason: 'a path parameter without a pattern must not contain what a server could resolve to another path',
    documents: /^beacon$/,
    checks: ['positive_data_acceptance'],
    statuses: [400],
    body: /The path parameter peer_id must be a single path segment/,
  },
  {
    reason: 'schemathesis writes a list that it found in a response into the path',
    documents: /^beacon$/,
    checks: ['positive_data_acceptance'],
    statuses: [400],
    body: /The path parameter \w+ must match/,
  },
  {
    reason: 'the embedded chain accepts 0 as no list, numbers as decimal text, and lists with duplicates',
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
    reason: 'values are also validated by their meaning: times, URLs, origins, names, the fields of a chain',
    documents: /^platform$/,
    checks: ['positive_data_acceptance'],
    statuses: [400],
    body: /"fields":\{"[^"]+":\["(Must |Requires |The deployment option does not exist|The project does not exist|This field is required, because )/,
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
