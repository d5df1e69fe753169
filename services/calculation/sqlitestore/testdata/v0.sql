BEGIN TRANSACTION;
CREATE TABLE result_changes (
			org TEXT NOT NULL, event TEXT NOT NULL, level INTEGER NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL,
			version INTEGER NOT NULL, doc TEXT NOT NULL,
			PRIMARY KEY (org, event, level, type, idx, version)) WITHOUT ROWID;
CREATE TABLE result_node_details (
			org TEXT NOT NULL, event TEXT NOT NULL, level INTEGER NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL, detail TEXT NOT NULL,
			PRIMARY KEY (org, event, level, type, idx)) WITHOUT ROWID;
INSERT INTO "result_node_details" VALUES('sddtxntmgyg811x51swjcg3h38','8ynm28vb7tb36c38yd5ewr7njc',0,'flights',0,'{"holds":["pt5jzg0sqqszst5ndj4jjafj41|1fa08f3d32e78a94|1569434689000"],"changed":[{"before":"||","after":"pt5jzg0sqqszst5ndj4jjafj41|1fa08f3d32e78a94|1569434689000"}]}');
INSERT INTO "result_node_details" VALUES('sddtxntmgyg811x51swjcg3h38','8ynm28vb7tb36c38yd5ewr7njc',1,'flights',0,'{"holds":["0||1"],"changed":[{"before":"||","after":"0||1"}]}');
CREATE TABLE result_nodes (
			org TEXT NOT NULL, event TEXT NOT NULL, level INTEGER NOT NULL, type TEXT NOT NULL, idx INTEGER NOT NULL,
			version INTEGER NOT NULL, doc TEXT NOT NULL,
			PRIMARY KEY (org, event, level, type, idx)) WITHOUT ROWID;
INSERT INTO "result_nodes" VALUES('sddtxntmgyg811x51swjcg3h38','8ynm28vb7tb36c38yd5ewr7njc',0,'flights',0,1,'{"Org":"sddtxntmgyg811x51swjcg3h38","Event":"8ynm28vb7tb36c38yd5ewr7njc","Type":"flights","Level":0,"Index":0,"Version":1,"ContextRev":1,"Contribution":{"engine":"1.2.0","records":1,"total":"1569434689000","counts":["flights|unspecified|1"],"cells":["flights|unspecified|desnz-2026-flight-long_haul-economy-rf|direct|3|6 Business travel|1296764109000|529448068172|894767235210","flights|unspecified|desnz-2026-flight-long_haul-economy-rf|upstream|3|6 Business travel|272670580000|111327041538|188142700200"],"gases":"756298001000|110797000|10968869000|529386442000|272670580000","quality":"0|0|1569434689000|0"},"Failed":null,"Hash":"1fa08f3d32e78a9466f0af53ffb34751655ba014d7fe5eaf29f719b3f4637efe"}');
INSERT INTO "result_nodes" VALUES('sddtxntmgyg811x51swjcg3h38','8ynm28vb7tb36c38yd5ewr7njc',1,'flights',0,1,'{"Org":"sddtxntmgyg811x51swjcg3h38","Event":"8ynm28vb7tb36c38yd5ewr7njc","Type":"flights","Level":1,"Index":0,"Version":1,"ContextRev":1,"Contribution":{"engine":"1.2.0","records":1,"total":"1569434689000","counts":["flights|unspecified|1"],"cells":["flights|unspecified|desnz-2026-flight-long_haul-economy-rf|direct|3|6 Business travel|1296764109000|529448068172|894767235210","flights|unspecified|desnz-2026-flight-long_haul-economy-rf|upstream|3|6 Business travel|272670580000|111327041538|188142700200"],"gases":"756298001000|110797000|10968869000|529386442000|272670580000","quality":"0|0|1569434689000|0"},"Failed":null,"Hash":"ee1217d7db43ad3c00f4cb2ae5dc8b577b78c9a1c455348395994cf55cf72f9d"}');
CREATE TABLE result_revisions (
			org TEXT NOT NULL, event TEXT NOT NULL, revision INTEGER NOT NULL, doc TEXT NOT NULL,
			PRIMARY KEY (org, event, revision)) WITHOUT ROWID;
CREATE TABLE results (
			org TEXT NOT NULL, event TEXT NOT NULL, version INTEGER NOT NULL, doc TEXT NOT NULL,
			PRIMARY KEY (org, event)) WITHOUT ROWID;
INSERT INTO "results" VALUES('sddtxntmgyg811x51swjcg3h38','8ynm28vb7tb36c38yd5ewr7njc',1,'{"Org":"sddtxntmgyg811x51swjcg3h38","Event":"8ynm28vb7tb36c38yd5ewr7njc","Version":1,"Revision":1,"ContextRev":1,"Context":{"Country":"GB","StartDate":"2026-05-01","EndDate":"2026-05-02","Attendees":100,"RadiativeForcing":true,"GWP":"published","FactorSet":"desnz-2026"},"Contribution":{"engine":"1.2.0","records":1,"total":"1569434689000","counts":["flights|unspecified|1"],"cells":["flights|unspecified|desnz-2026-flight-long_haul-economy-rf|direct|3|6 Business travel|1296764109000|529448068172|894767235210","flights|unspecified|desnz-2026-flight-long_haul-economy-rf|upstream|3|6 Business travel|272670580000|111327041538|188142700200"],"gases":"756298001000|110797000|10968869000|529386442000|272670580000","quality":"0|0|1569434689000|0"},"Failed":null,"EngineVersion":"1.2.0","InputsHash":"9716b48d00a34d5f2ca941ff66bc7c2d40a356a67304fda297158d01098048f1","CalculatedAt":"2026-11-22T01:05:11.412Z","Tops":["flights/0||1"]}');
COMMIT;
