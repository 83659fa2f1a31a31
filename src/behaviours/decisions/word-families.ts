/**
 * Words that point at the same thing ("charged", "invoice", "billing"), for answers that should fit a text. A
 * table, nothing more.
 */
import { stemOf } from './terms.ts'

export interface Family {
  readonly stems: ReadonlySet<string>
  /**
   * True for what a text is about: "my parcel never arrived" is about shipping although it denies the
   * arrival.
   */
  readonly topic: boolean
  /** The place of the family that says the contrary. */
  readonly contrary?: number
}

const stems = (words: string): ReadonlySet<string> => new Set(words.split(' ').map(stemOf))
const topic = (words: string): Family => ({ stems: stems(words), topic: true })
const claim = (words: string, contrary?: number): Family => ({
  stems: stems(words),
  topic: false,
  ...(contrary === undefined ? {} : { contrary }),
})

/** The families; a word may belong to several. */
export const families: readonly Family[] = [
  claim(
    'positive praise compliment good great excellent love amazing awesome fantastic wonderful perfect happy satisfied pleased delighted enjoy best recommend thanks thank grateful brilliant helpful beautiful glad nice friendly',
    1,
  ),
  claim(
    'negative complaint complain criticism bad terrible awful hate horrible worst angry anger upset furious mad disappointed disappointing frustrated frustrating unhappy dissatisfied annoyed annoying poor useless unacceptable disgusting rude sad',
    0,
  ),
  claim(
    'urgent urgently urgency asap immediately immediate emergency critical deadline quickly priority hurry',
  ),
  claim('exchange replace replacement swap'),
  claim('cancel cancellation unsubscribe terminate'),
  topic(
    'billing bill invoice charge payment pay paid price subscription card fee overcharged refund reimburse reimbursement money',
  ),
  topic(
    'technical technology bug error crash broken login install software password website server load fail failure outage',
  ),
  topic('account login password username profile signup register'),
  topic('shipping shipment ship delivery deliver package parcel arrive arrival courier tracking'),
  topic('sales sale buy purchase quote demo pricing order'),
  topic('spam prize winner lottery giveaway congratulations unsolicited phishing scam'),
  topic('toxic abusive abuse insult offensive stupid idiot kill threat threaten harassment hateful'),
]
