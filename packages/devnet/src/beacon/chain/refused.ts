/** A message, a block or a request breaks a rule of the protocol; the text names the rule. */
export class Refused extends Error {
  override readonly name = 'Refused'
}
