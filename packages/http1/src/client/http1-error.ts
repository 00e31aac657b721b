/** The failure of an exchange; it never says where the upstream is. */
export class Http1Error extends Error {
  override readonly name = 'Http1Error'
  /**
   * `unconnected`: the upstream has seen nothing of the call; `broken`: it may have; `late`: no answer in time;
   * `malformed`: what came is no HTTP/1.1; `aborted`: the caller ended it.
   */
  readonly kind: 'unconnected' | 'broken' | 'late' | 'malformed' | 'aborted'

  constructor(kind: Http1Error['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** The failure for bytes that are no answer. */
export function malformed(what: string): Http1Error {
  return new Http1Error('malformed', `The upstream's answer is no HTTP/1.1: ${what}.`)
}
