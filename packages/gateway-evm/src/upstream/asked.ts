import type { PlainAnswer } from './read-response.ts'
import type { UpstreamResponse } from './upstream-response.ts'

/** What came of a call: JSON of its result or error, or the node's own answer, not yet read. */
export type Asked = PlainAnswer | { readonly answer: UpstreamResponse }
