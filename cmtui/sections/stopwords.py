"""Words that carry no topic, in English and Spanish.

Short lists of our own: the lists of packages also remove academic terms such as *system*, *state*, *value*,
*trabajo* and *estado* (design/providers.md 4).
"""

from __future__ import annotations

_ENGLISH = """
a about above across after again against all almost along already also although always am among an and
another any anyone anything are around as at away back be became because become been before behind being
below between both but by came can cannot could did do does doing done down during each either else enough
etc even ever every few first for from further get gets got had has have having he hence her here hers
herself him himself his how however i if in indeed instead into is it its itself just last later least less
let like made make makes many may me might more moreover most much must my myself near nearly neither never
nevertheless next no nobody none nor not nothing now of off often on once one only onto or other others
otherwise ought our ours ourselves out over own per perhaps quite rather really said same say says second
see seem seemed seems several shall she should since so some someone something sometimes soon still such
take taken than that the their theirs them themselves then there therefore these they thing things this
those though three through throughout thus to together too toward towards two under unless until up upon
us use used uses using usually very was way we well went were what whatever when whenever where whereas
whether which while who whole whom whose why will with within without would yet you your yours yourself
"""

_SPANISH = """
a acuerdo además ahí ahora al algo alguien algún alguna algunas alguno algunos allí allá ambos ante antes
apenas aproximadamente aquel aquella aquellas aquello aquellos aquí así aun aunque aún bajo bastante bien
cada casi cerca cierta ciertas cierto ciertos como cómo con conforme conmigo contra cosa cosas cual cuales
cualquier cualquiera cuando cuanta cuantas cuanto cuantos cuál cuáles cuándo cuánto da dan dar de debajo
debe deben debido debía decir del delante demasiado demás dentro desde después detrás dice dicen dicha
dichas dicho dichos dijo donde dos durante dónde e el ella ellas ello ellos embargo empero en encima
encontrar entonces entre era eran eres es esa esas ese eso esos esta estaba estaban estamos estar estas este
esto estos estoy está están estás fin fue fuera fueron fui fuimos gran grande grandes ha haber había habían
habiendo habrá habría hace hacen hacer hacia haciendo han hasta hay haya hayan he hecho hemos hicieron hizo
hoy hubo igual incluso inclusive la las le les lo los luego mal manera más me mediante mejor menos mi mía
mías mientras mío míos mis misma mismas mismo mismos modo mucha muchas mucho muchos muy más mí nada nadie ni
ningún ninguna ningunas ninguno ningunos no nos nosotras nosotros nuestra nuestras nuestro nuestros nunca o
os otra otras otro otros para parece parte pero poca pocas poco pocos podemos poder podrá podría podrían por
porque posible primer primera primeras primero primeros pronto propia propias propio propios pude pudo puede
pueden pues que quien quienes quién quiso qué quizá quizás realizar resulta sabe se sea sean segunda segundo
según ser será serán sería si sí sido siempre siendo sin sino sobre sola solamente solas solo solos somos son
soy su sus suya suyas suyo suyos sólo tal tales también tampoco tan tanta tantas tanto tantos te tendrá tener
tenga tengan tenía tenían ti tiene tienen toda todas todavía todo todos través tras tres tu tus tuvo tú un
una unas uno unos usted ustedes va vamos van varias varios veces ver vez vosotros vuestra vuestro y ya yo
"""

ENGLISH = frozenset(_ENGLISH.split())
SPANISH = frozenset(_SPANISH.split())
#: The lists by language code (ISO 639-1).
STOP_WORDS = {"en": ENGLISH, "es": SPANISH}
