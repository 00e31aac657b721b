// Preloaded into a gateway: on SIGUSR2, sets its clock to the real time plus the number of milliseconds in a file, and
// removes the file.
import { readFileSync, rmSync } from 'node:fs'

const RealDate = Date
let shiftMs = 0

class ShiftedDate extends RealDate {
  /** @param {ConstructorParameters<typeof Date>} parts */
  constructor(...parts) {
    if (parts.length === 0) super(ShiftedDate.now())
    else super(...parts)
  }

  static now() {
    return RealDate.now() + shiftMs
  }
}
globalThis.Date = /** @type {DateConstructor} */ (/** @type {unknown} */ (ShiftedDate))

process.on('SIGUSR2', () => {
  const file = process.env['FAULTS_CLOCK_FILE'] ?? ''
  shiftMs = Number(readFileSync(file, 'utf8'))
  rmSync(file)
})
