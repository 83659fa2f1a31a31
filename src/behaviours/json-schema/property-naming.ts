/** Derives the purpose of a property from its name, without values or schemas. */
import { promptWords } from '../prompt/words.ts'

/** The words of a property's name (lower case, singular), and the kind that they name, if any. */
export interface Naming {
  readonly words: readonly string[]
  readonly kind: string | undefined
}

/** No name: the root, or an item of an unnamed array. */
export const UNNAMED: Naming = { words: [], kind: undefined }

/** Reads `firstName`, `first_name`, `first-name` and `First Name` alike. */
export function namingOf(name: string): Naming {
  const words = promptWords(name.slice(0, 100))
  return { words, kind: kindOf(words) }
}

/** The kind of the longest ending of the words that names one. */
function kindOf(words: readonly string[]): string | undefined {
  for (let start = 0; start < words.length; start++) {
    const kind = KINDS.get(words.slice(start).join(' '))
    if (kind !== undefined) return kind === 'name' && start > 0 ? ofWhat(words.slice(0, -1)) : kind
  }
  if (words.at(-1) === 'at' && words.length > 1) return 'datetime'
  // "operand1" is one of several operands.
  const last = words.at(-1) ?? ''
  if (/^[a-z]{2,}\d$/.test(last)) return kindOf([...words.slice(0, -1), last.slice(0, -1)])
  // In "date_of_birth" and "city_or_region" the first word is the significant one.
  return words.length > 2 && (words[1] === 'of' || words[1] === 'or')
    ? KINDS.get(words[0] as string)
    : undefined
}

/** Kinds that are names themselves: `city_name` is a city. */
export const NAMED: ReadonlySet<string> = new Set(
  `
  person city country location company product book movie song dish animal ingredient file department
  state region first_name last_name username
  `
    .trim()
    .split(/\s+/),
)

/** The kind of `passenger_name` or `hotel_name`: that of the first words, if it has fake names. */
function ofWhat(words: readonly string[]): string {
  const kind = kindOf(words)
  return kind !== undefined && NAMED.has(kind) ? kind : 'name'
}

// Kind, then the words (singular) at the end of a name of that kind; the longest match wins.
const TABLE = `
person: person, full name, author, artist, director, participant, attendee, guest name, member, user,
  customer, client, recipient, sender, assignee, owner, speaker, passenger, contact, employee, student,
  patient, doctor, teacher, actor, character, candidate, manager, reviewer, organizer, host name, guest,
  friend, player, winner, creator, writer, colleague, invitee
first_name: first name, given name, forename, middle name
last_name: last name, family name, surname
username: username, user name, login, handle, nickname, screen name
name: name, display name
title: title, headline, heading, label
subject: subject, event name
email: email, mail, e mail, email address, mail address, cc, bcc
phone: phone, telephone, mobile, fax, phone number, telephone number, mobile number, tel
city: city, town, capital, municipality, birthplace, hometown
country: country, nation
country_code: country code
state: state, province, county
region: region, continent, area
location: location, place, venue, where, destination, origin, departure, arrival, from, to, from city, to
  city, from location, to location, departure city, arrival city, origin city, destination city
street: street, street address, address line, line1, address1
address: address, billing address, shipping address, home address, postal address, delivery address
zip: zip, zipcode, zip code, postcode, postal code, post code
company: company, company name, organization, organisation, employer, vendor, brand, manufacturer, supplier,
  publisher, institution, business, merchant, seller, provider, restaurant, hotel, bar, cafe,
  pub, shop, store, museum, theatre, theater, club, clinic, hospital, school, university, airline,
  gym, salon, pharmacy, hostel
product: product, product name, item, item name, article, goods
department: department, division, team
job: job, job title, occupation, profession, position
url: url, uri, link, website, homepage, href, web page, webpage, site
image_url: image, photo, picture, avatar, thumbnail, image url, photo url, avatar url, thumbnail url, logo,
  icon url
domain: domain, host, hostname, domain name
ip: ip, ip address
path: path, filepath, file path, directory, folder
file: file, filename, file name, attachment, document name
uuid: uuid, guid
id: id, identifier, ref, reference, code, sku, key, slug, reference number, order number, invoice number,
  tracking number, account number, ticket number, serial number, confirmation number, isbn, iban, bic, swift,
  ean, upc, gtin, vin, imei, asin, issn, doi, plate, license plate, coupon, coupon code, voucher, promo code,
  flight number, case number, passport number, booking code, booking reference, tracking code
currency: currency, currency code
color: color, colour
unit: unit, measurement unit, unit of measure
language: language, lang, from language, to language
locale: locale
date: date, day, deadline, birthday, due date, start date, end date, birth date, dob, due, when, departure
  date, return date, check in, check out, checkin, checkout, published, created, updated
time: time, start time, end time, hour of day, opening time, closing time
datetime: datetime, date time, timestamp, created at, updated at, start datetime, end datetime
timezone: timezone, time zone, tz
pattern: pattern, regex, regexp, glob, needle
duration: duration, length of time
weekday: weekday, day of week, dow
month_name: month name
description: description, detail, about, overview, desc, caption, blurb
summary: summary, abstract, tldr, synopsis, recap, gist
explanation: explanation, reason, reasoning, rationale, thought, justification, analysis, motivation, why,
  reflection, thinking, evidence, insight, finding, observation
answer: answer, response, reply, result, output, conclusion, final answer, solution, outcome
message: message, content, body, text, note, comment, feedback, review, remark, post, paragraph, email body,
  instruction text
question: question, follow up question, followup
query: query, search, search query, search term, keyword query, q, term, search text
input: input, prompt, user input, raw input, request, utterance, transcript, original text, source text
topic: topic, theme, subject matter
step: step, instruction, direction, task, action item, next step, todo, action, goal, objective,
  recommendation, suggestion, tip, advice
pro: pro, advantage, benefit, strength, feature, highlight, key point, point, takeaway, key takeaway,
  takeaways
con: con, disadvantage, drawback, weakness, risk, issue, concern, limitation, problem
room: room, zone
tag: tag, keyword, hashtag, label tag, topic tag
category: category, genre, department name, classification, section, group
type: type, kind, variety, class
status: status, phase, stage
weather: weather, condition, forecast, weather condition, sky
ingredient: ingredient
dish: dish, recipe, meal, food, recipe name, dish name, cuisine dish
cuisine: cuisine
book: book, novel, book title
movie: movie, film, movie title, film title, show
song: song, track, song title
animal: animal, pet, species
word: word, noun, synonym, antonym, adjective
quote: quote, quotation, saying, proverb, slogan, tagline, motto
sentiment: sentiment, tone, mood, emotion, feeling
level: priority, severity, difficulty, importance, urgency, level
role: role
gender: gender, sex
version: version
symbol: ticker, symbol, stock symbol, ticker symbol, stock
airport: airport, airport code, iata
hash: hash, token, checksum, digest, secret, signature, api key, password, nonce, etag
code_text: source code, snippet, code snippet, sql, command, script
expression: expression, expr, formula, equation, calculation, arithmetic, math, sum
age: age
year: year
month: month
week: week
hour: hour
minute: minute, min duration, prep time minute, cook time minute
second: second, sec
day_count: night, day count, number of day
latitude: latitude, lat
longitude: longitude, lng, lon, long
temperature: temperature, temp, feel like, high temp, low temp, high temperature, low temperature
humidity: humidity
percent: percent, percentage, pct, progress, completion
amount: amount, portion, serving size, dose, dosage
money: price, cost, total price, fee, budget, salary, balance, subtotal, revenue, payment, fare, discount
  amount, unit price, total cost, total amount, grand total, tax, value usd, income, spending
count: quantity, count, qty, total, size, number, num, amount of item, max result, limit, top k, k, number
  of result
rating: rating, star
score: score, relevance, points, mark, grade
probability: probability, confidence, likelihood, confidence score, certainty, similarity, weight score
distance: distance, mile, km, kilometer, length, radius
weight: weight, mass
height: height, depth, width
population: population
speed: speed, wind speed
calorie: calorie, kcal
index: index, rank, order, position index, offset, step number, page, page number, line number, priority
  order, sequence
port: port
status_code: status code, http status
epoch: epoch, unix time, unix timestamp, created timestamp
operand: a, b, c, x, y, z, n, m, value, left, right, operand, num1, num2, number1, number2, first number,
  second number, addend, augend, base, exponent, dividend, divisor, minuend, subtrahend, numerator,
  denominator, multiplier, multiplicand, lhs, rhs, first, second operand, first operand, last value
`

const KINDS: ReadonlyMap<string, string> = new Map(
  TABLE.trim()
    .split(/\n(?! )/)
    .flatMap((line) => {
      const [kind = '', names = ''] = line.split(': ')
      return names.split(/,\s+/).map((name): [string, string] => [name, kind])
    }),
)
