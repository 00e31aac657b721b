import { RestError } from '@fairlead/gateway-core/rest/rest-error'

/** An error that is sent as the error body of the jetton chain API, `{"ok": false, "error", "code"}`. */
export class JettonError extends RestError {
  override readonly name = 'JettonError'
}
